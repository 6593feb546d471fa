import type { z } from 'zod'

/** The caller's fault: the message is meant for the caller. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest'
}

/** Checks the parameters of a query string; throws `InvalidRequest` with every problem in one message. */
export function parseQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  throw new InvalidRequest([...new Set(parsed.error.issues.map((issue) => issue.message))].join('; '))
}
