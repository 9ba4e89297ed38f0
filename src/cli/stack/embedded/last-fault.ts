// The last fault in a log, as one line.

// What ends a process, and what may be a mere warning.
const FATAL = /^error: |"level":[56]0\b/
const ANY = /error|fatal|EADDR/i

/**
 * Returns the last line that ended a process or reports an error, else the last that speaks of one, else the last line;
 * of a JSON line its message. Empty for an empty log.
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
