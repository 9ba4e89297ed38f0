// The queries with their answers as values: tests look into them.
import { JsonText } from '../../../src/application/queries/json-text.ts'
import type { Queries } from '../../../src/application/queries/queries.ts'

/** Of these the page alone. */
type Paged = 'feed' | 'signals'
type Parsed<Answer> = Answer extends JsonText<infer Value> ? Value : Answer
type Answered<Name extends keyof Queries> = Awaited<ReturnType<Queries[Name]>>
type PageOf<Answer> = Answer extends { page: JsonText<infer Value> } ? Value : never
export type ParsedQueries = {
  [Name in keyof Queries]: (
    ...ask: Parameters<Queries[Name]>
  ) => Promise<Name extends Paged ? PageOf<Answered<Name>> : Parsed<Answered<Name>>>
}

export function parsed(queries: Queries): ParsedQueries {
  const ask =
    (name: keyof Queries) =>
    async (...asked: unknown[]) => {
      const found = await (queries[name] as (...asked: unknown[]) => Promise<unknown>)(...asked)
      const answer = name === 'feed' || name === 'signals' ? (found as { page: unknown }).page : found
      return answer instanceof JsonText ? answer.value : answer
    }
  const names = [
    'feed',
    'company',
    'companies',
    'insider',
    'positions',
    'holders',
    'search',
    'signals',
    'signal',
    'feedStats',
    'sentiment',
    'rankings',
    'filing',
    'filings',
  ] as const
  return Object.fromEntries(names.map((name) => [name, ask(name)])) as unknown as ParsedQueries
}

/** Returns the value as queries give it. */
export const jsonText = <Value>(value: Value): JsonText<Value> => new JsonText(JSON.stringify(value))

/** Returns a page as queries give it. */
export const textPage = <Page>(value: Page) => ({ page: jsonText(value), unknown: [] })
