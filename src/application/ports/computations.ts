// The port of long computations by the rules of the domain, which are done beside what the service answers meanwhile.

/** Who waits for a computation; none of these waits for one of another. */
export type Urgency = 'live' | 'history' | 'caller'

/**
 * The computations by name: plain functions of one input. Input and result are copied, so they hold plain values and
 * bytes only.
 */
export interface Computations {}

/**
 * Does a computation; those of one urgency are done one after the other. Rejects with the error that it throws, with
 * the signal's reason if it had not begun by then, and with another error if it can't be done, such as for want of
 * memory.
 */
export type Compute<Known = Computations> = <Name extends keyof Known>(
  urgency: Urgency,
  name: Name,
  input: Known[Name] extends (input: infer Input) => unknown ? Input : never,
  signal?: AbortSignal,
) => Promise<Known[Name] extends (input: never) => infer Result ? Result : never>
