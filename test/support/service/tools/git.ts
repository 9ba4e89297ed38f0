// Git in copies of the checkout, whatever the settings of who runs the tests.
import { execFileSync, spawnSync } from 'node:child_process'

export const hasGit = (): boolean => spawnSync('git', ['--version']).status === 0

const OWN = ['user.name=Test', 'user.email=test@example.com', 'commit.gpgsign=false', 'tag.gpgsign=false']

/** Returns what runs git in a folder, and returns what it prints. */
export const gitIn =
  (folder: string) =>
  (...args: string[]): string => {
    const options = OWN.flatMap((each) => ['-c', each])
    return execFileSync('git', [...options, ...args], { cwd: folder, encoding: 'utf8' }).trim()
  }
