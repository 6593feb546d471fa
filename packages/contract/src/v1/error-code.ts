import { z } from 'zod'

const ERROR_CODES = {
  invalid_parameter: 'A parameter is missing, repeated or malformed',
  unknown_parameter: 'The parameter does not exist here',
  invalid_cursor: 'The cursor does not belong to a page of this list',
  malformed_request: 'The request itself is malformed',
  unknown_key: 'The API key is unknown',
  not_found: 'This path does not exist, or the object is not indexed',
  network_not_indexed: 'This server does not index the network',
  method_not_allowed: 'This path does not support the method',
  request_timeout: 'The request took too long to arrive',
  body_too_large: 'The body is too large',
  url_too_long: 'The URL is too long',
  unsupported_media_type: 'The body is not JSON',
  rate_limited: 'Too many requests; `Retry-After` says when to retry',
  internal: 'A server error',
  query_timeout: 'The database took too long; use a narrower time range or filter',
  unavailable: 'Temporarily unavailable; `Retry-After` says when to retry',
} as const
export type ErrorCode = keyof typeof ERROR_CODES

const OF_STATUS: Record<number, ErrorCode> = {
  401: 'unknown_key',
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

export function errorCodeOf(status: number): ErrorCode {
  return OF_STATUS[status] ?? (status >= 500 ? 'internal' : 'malformed_request')
}

export const codedFailure = z
  .strictObject({
    error: z.string().min(1).meta({ description: 'What went wrong, in plain words' }),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).meta({
      description: Object.entries(ERROR_CODES)
        .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
        .join('. '),
    }),
  })
  .meta({ id: 'CodedFailure' })
