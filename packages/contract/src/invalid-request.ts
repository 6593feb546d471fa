import type { z } from 'zod'

export type RequestFault = 'invalid_parameter' | 'unknown_parameter' | 'invalid_cursor'

export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest'
  readonly code: RequestFault

  constructor(message: string, code: RequestFault = 'invalid_parameter') {
    super(message)
    this.code = code
  }
}

/** Checks parameters. @throws InvalidRequest with every problem in one message */
export function parseQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const isUnknown = issues.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0)
  const message = [...new Set(issues.map(textOf))].join('; ')
  throw new InvalidRequest(message, isUnknown ? 'unknown_parameter' : 'invalid_parameter')
}

function textOf({ path, message }: z.core.$ZodIssue): string {
  if (!path.some((step) => typeof step === 'number')) return message
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return `${place.slice(1)} ${message}`
}
