// Injects by name: what Inversify resolves by place goes to a factory as one object.
import type { ServiceIdentifier } from 'inversify'

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

/** Undefined where nothing is bound. A cast, since Inversify's own type fits no service that may be undefined. */
export const optional = <T>(serviceIdentifier: ServiceIdentifier<T>): ServiceIdentifier<T | undefined> =>
  ({ serviceIdentifier, optional: true }) as unknown as ServiceIdentifier<T | undefined>
