// The queries with their answers as values: tests look into them.
import { JsonText } from '../../../src/application/queries/json-text.ts'
import type { Queries } from '../../../src/application/queries/queries.ts'

type Parsed<Answer> = Answer extends JsonText<infer Value> ? Value : Answer
export type ParsedQueries = {
  [Name in keyof Queries]: (...ask: Parameters<Queries[Name]>) => Promise<Parsed<Awaited<ReturnType<Queries[Name]>>>>
}

export function parsed(queries: Queries): ParsedQueries {
  const ask =
    (name: keyof Queries) =>
    async (...asked: unknown[]) => {
      const answer = await (queries[name] as (...asked: unknown[]) => Promise<unknown>)(...asked)
      return answer instanceof JsonText ? answer.value : answer
    }
  const names = ['feed', 'company', 'insider', 'signals', 'signal', 'feedStats', 'filing', 'filings'] as const
  return Object.fromEntries(names.map((name) => [name, ask(name)])) as unknown as ParsedQueries
}

/** Returns the value as queries give it. */
export const jsonText = <Value>(value: Value): JsonText<Value> => new JsonText(JSON.stringify(value))
