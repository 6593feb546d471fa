export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type ListName,
  type OperationName,
} from './client.ts'
export { DexfeedError } from './dexfeed-error.ts'
export type * from './generated/operations.ts'
export type { StreamOptions } from './stream.ts'
