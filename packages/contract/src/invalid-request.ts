import type { z } from 'zod'

/** What is wrong with a request, as a code. */
export type RequestFault = 'invalid_parameter' | 'unknown_parameter' | 'invalid_cursor'

/** The request is wrong. Its sender reads the message. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest'
  readonly code: RequestFault

  constructor(message: string, code: RequestFault = 'invalid_parameter') {
    super(message)
    this.code = code
  }
}

/** Checks the parameters of a query string; throws `InvalidRequest` with every problem in one message. */
export function parseQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const isUnknown = issues.some(({ code }) => code === 'unrecognized_keys')
  const message = [...new Set(issues.map((issue) => issue.message))].join('; ')
  throw new InvalidRequest(message, isUnknown ? 'unknown_parameter' : 'invalid_parameter')
}
