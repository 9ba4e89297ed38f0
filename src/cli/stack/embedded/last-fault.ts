// The last fault in a log, as one line.

/**
 * Returns the last line that reports a fault, else the last line; of a JSON line its message. Empty for an empty log.
 */
export function lastFault(log: string): string {
  const lines = log.trim().split('\n')
  const last = lines.findLast((line) => /error|fatal|"level":[56]0|EADDR/i.test(line)) ?? lines.at(-1) ?? ''
  try {
    const { msg, err, error } = JSON.parse(last) as { msg?: string; err?: { message?: string }; error?: string }
    return [msg, err?.message, error].filter(Boolean).join(': ')
  } catch {
    return last.replace(/^error: /, '')
  }
}
