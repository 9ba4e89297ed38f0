// Several handlers of requests as one.
import type { RequestHandler } from 'express'

/**
 * Returns a handler that runs these in their order, with their faults as Express treats them. Express itself compares
 * the path with each handler that it knows.
 */
export function inOrder(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const step = (place: number): void => {
      const handler = handlers[place]
      if (handler === undefined) return next()
      try {
        const running: unknown = handler(request, response, (fault?: unknown) =>
          fault ? next(fault) : step(place + 1),
        )
        if (running instanceof Promise) running.catch(next)
      } catch (fault) {
        next(fault)
      }
    }
    step(0)
  }
}
