// Finds the last error in a log, for one line of a message.

// Lines of an error that ended a process, and lines that may only be warnings.
const FATAL = /^error: |"level":[56]0\b/
const ANY = /error|fatal|EADDR/i

/**
 * Returns the last line with an error that ended the process, else the last that mentions an error, else the last line.
 * For a JSON line returns its message. Empty for an empty log.
 */
export function lastFault(log: string): string {
  const lines = log.trim().split('\n')
  const last = [FATAL, ANY].map((form) => lines.findLast((line) => form.test(line))).find(Boolean) ?? lines.at(-1) ?? ''
  try {
    const { msg, err, error } = JSON.parse(last) as { msg?: string; err?: { message?: string }; error?: string }
    return [msg, err?.message, error].filter(Boolean).join(': ')
  } catch {
    return last.replace(/^error: /, '')
  }
}
