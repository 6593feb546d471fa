import { z } from 'zod'

/** What a failure under `/v1` is called for programs, and when it is. */
const ERROR_CODES = {
  invalid_parameter: 'A parameter is missing, repeated or malformed',
  unknown_parameter: 'There is no such parameter here',
  invalid_cursor: 'The cursor is not of a page of this very list',
  malformed_request: 'The request itself is malformed',
  not_found: 'There is nothing under this path, or no such thing is indexed',
  network_not_indexed: 'This server does not index the network',
  method_not_allowed: 'Another method is meant for this path',
  request_timeout: 'The request took too long to arrive',
  body_too_large: 'The body is too large',
  url_too_long: 'The URL is too long',
  unsupported_media_type: 'The body is no JSON',
  rate_limited: 'Too many requests; `Retry-After` tells when to come back',
  internal: 'A fault of the server',
  query_timeout: 'The database took too long; a narrower time range or filter takes less',
  unavailable: 'Not now; `Retry-After` tells when to come back',
} as const
export type ErrorCode = keyof typeof ERROR_CODES

const OF_STATUS: Record<number, ErrorCode> = {
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'url_too_long',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal',
  503: 'unavailable',
}

/** The code of a failure of which only the HTTP status is known. */
export function errorCodeOf(status: number): ErrorCode {
  return OF_STATUS[status] ?? (status >= 500 ? 'internal' : 'malformed_request')
}

/** The body of a failure under `/v1`. */
export const codedFailure = z
  .strictObject({
    error: z.string().min(1).meta({ description: 'What went wrong, for people' }),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).meta({
      description: Object.entries(ERROR_CODES)
        .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
        .join('. '),
    }),
  })
  .meta({ id: 'CodedFailure' })
