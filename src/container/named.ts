// Helpers for injection by name. Inversify passes dependencies by position; these pass them as one object.
import type { Container, ServiceIdentifier } from 'inversify'

type Tokens<Dependencies> = { [Name in keyof Dependencies]: ServiceIdentifier<Dependencies[Name]> }

/** Returns the arguments of `toResolvedValue` for a factory that takes its dependencies as one object. */
export function named<T, Dependencies extends object>(
  make: (dependencies: Dependencies) => T,
  tokens: Tokens<Dependencies>,
): [factory: (...resolved: unknown[]) => T, tokens: ServiceIdentifier[]] {
  const names = Object.keys(tokens)
  const factory = (...resolved: unknown[]) =>
    make(Object.fromEntries(names.map((name, place) => [name, resolved[place]])) as Dependencies)
  return [factory, Object.values(tokens)]
}

/**
 * Returns an injection that is undefined if nothing is bound. Cast, since Inversify's types allow no undefined service.
 */
export const optional = <T>(serviceIdentifier: ServiceIdentifier<T>): ServiceIdentifier<T | undefined> =>
  ({ serviceIdentifier, optional: true }) as unknown as ServiceIdentifier<T | undefined>

/** The services that a record of tokens resolves to. */
export type Resolved<T> = { [Name in keyof T]: T[Name] extends ServiceIdentifier<infer Service> ? Service : never }

/** Resolves several tokens as one object. For the places where a process composes its services. */
export function resolve<T extends Record<string, ServiceIdentifier>>(container: Container, tokens: T): Resolved<T> {
  return Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => [name, container.get(token)]),
  ) as unknown as Resolved<T>
}
