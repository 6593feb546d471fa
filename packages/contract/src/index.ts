export {
  DEXSCREENER_ROUTES,
  type DexscreenerBody,
  type DexscreenerRequest,
  type DexscreenerRoutes,
} from './adapters/dexscreener.ts'
export {
  GECKOTERMINAL_ROUTES,
  type GeckoterminalRequest,
  type GeckoterminalRoutes,
  geckoterminalNetwork,
} from './adapters/geckoterminal.ts'
export { type BackfillJob, type BackfillResult, backfillJob, backfillResult } from './backfill-job.ts'
export { checksumAddress, readAddress } from './checksum-address.ts'
export { InvalidRequest } from './invalid-request.ts'
export { type OpenApiDocument, openApiDocument, openApiSteps } from './open-api-document.ts'
export { pathParameters, type TokenReference, TokenSymbol } from './parameters.ts'
export { parseQuoteRequest, parseSwapsRequest, writeSwapCursor } from './requests.ts'
export type {
  DayVolume,
  NetworkStatus,
  QuoteResponse,
  StatusResponse,
  SwapTransaction,
  TokenMetadata,
} from './responses.ts'
export { statusResponse } from './responses.ts'
export { amountDecimal, swapJson, tokenMetadataOf, type WrittenToken, writtenToken } from './swap-json.ts'
export { UDF_RESOLUTIONS, UDF_ROUTES, type UdfBody, type UdfRoutes } from './udf.ts'
export { type BatchAnswer, type BatchRead, MAX_BATCH_LIMIT, parseBatch, V1_BATCH } from './v1/batch.ts'
export { CANDLE_INTERVALS } from './v1/candles.ts'
export { columnsOf, csvWriter, valueAt } from './v1/csv.ts'
export { type ErrorCode, errorCodeOf } from './v1/error-code.ts'
export type { HandlerOf, V1Body, V1Handlers, V1Row, WithAddresses } from './v1/handler.ts'
export { parsePageRequest } from './v1/page.ts'
export { DEPTH_BPS } from './v1/quotes/depth.ts'
export type { TokenPrice, TokenPriceFlag } from './v1/quotes/prices.ts'
export type { QuoteFlag } from './v1/quotes/quote.ts'
export { parseQuoteQuestion, type QuoteQuestion } from './v1/quotes/quotes.ts'
export {
  type ListRoute,
  type PostRoute,
  parseKnown,
  parseRequest,
  type ReadRoute,
  type RequestOf,
  type Route,
} from './v1/route.ts'
export { V1_ROUTES, v1Methods } from './v1/routes.ts'
export {
  parseStreamRequest,
  type StreamData,
  type StreamEventName,
  type StreamRequest,
  V1_STREAM,
} from './v1/stream/stream.ts'
export { VOLUME_INTERVALS } from './v1/volume.ts'
