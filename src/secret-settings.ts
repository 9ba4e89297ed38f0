// Secret settings: given as a value or, under the same name with _FILE appended, by a file that has it, such as one of
// Docker's or Kubernetes' secrets. No error repeats a value.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { NotOurs, requireOwn } from './infrastructure/ownership.ts'

// An address with a password or a key is far shorter.
const MAX_BYTES = 16_384

/** Returns the value, without surrounding blanks, or null if it is not set. Throws what is wrong with it. */
export function secretText(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  cwd: string,
): string | null {
  const value = env[name]?.trim() ?? ''
  const file = env[`${name}_FILE`]?.trim() ?? ''
  if (file === '') return value === '' ? null : value
  if (value !== '') throw new Error(`and ${name}_FILE are both set: leave one out`)
  const text = textOf(resolve(cwd, file))
  if (text === '') throw new Error(`can't be read: the file of ${name}_FILE is empty: ${file}`)
  return text
}

// Where containers have their secrets: the engine puts them there, with the owners and rights of the host.
const OF_CONTAINERS = '/run/secrets/'

function textOf(path: string): string {
  try {
    const status = statSync(path)
    if (!status.isFile()) throw new Error('not a file')
    if (!path.startsWith(OF_CONTAINERS)) requireOwn(path)
    if (status.size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`)
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof NotOurs) throw new Error(`can't be read: ${error.message}`, { cause: error })
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`can't be read from ${path}: ${code ?? message}`, { cause: error })
  }
}

/** Returns the address with the password, unless it has one of its own. */
export function withPassword(address: string | null, password: string | null): string | null {
  if (address === null || password === null) return address
  const url = new URL(address)
  if (url.password !== '') return address
  url.password = encodeURIComponent(password)
  return url.href
}
