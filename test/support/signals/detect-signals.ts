// The signals of a history, without what they said before.
import { followSignals } from '../../../src/domain/signals/detect-signals.ts'
import type { Signal } from '../../../src/domain/signals/signal.ts'

export const detectSignals = (...history: Parameters<typeof followSignals>): Signal[] =>
  followSignals(...history).signals
