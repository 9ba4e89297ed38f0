// Runs a script that kills itself after the step that its order names, with the order as its argument.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** Returns what it printed as JSON, null where it was killed; rejects where it ended otherwise. */
export function runSelfKilling<Result>(script: string, order: object): Promise<Result | null> {
  const words = ['--import', 'tsx', join(import.meta.dirname, script), JSON.stringify(order)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => {
      if (signal === 'SIGKILL') resolve(null)
      else if (status === 0) resolve(JSON.parse(text) as Result)
      else reject(new Error(`the child ended with status ${status}`))
    })
  })
}
