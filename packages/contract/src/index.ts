export { amountDecimal } from './amount-decimal.ts'
export { type BackfillJob, type BackfillResult, backfillJob, backfillResult } from './backfill-job.ts'
export { checksumAddress } from './checksum-address.ts'
export { InvalidRequest } from './invalid-request.ts'
export { type OpenApiDocument, openApiDocument } from './open-api-document.ts'
export { parseQuoteRequest, parseSwapsRequest, type SwapsRequest } from './requests.ts'
export type {
  DayVolume,
  NetworkStatus,
  QuoteResponse,
  StatusResponse,
  SwapTransaction,
  TokenMetadata,
  WashResponse,
} from './responses.ts'
export { writeSwapCursor } from './swap-cursor.ts'
export { swapJson, tokenJsonPrefix, tokenMetadataOf, type WrittenToken } from './swap-json.ts'
export type { TokenReference } from './token-parameter.ts'
