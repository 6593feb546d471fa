import type { BlockRange } from '@dexfeed/dex'

type Code = number | null | undefined

export interface RpcErrorResponse {
  httpStatus?: number
  code?: Code
  message?: string
  data?: unknown
  /** The blocks of an eth_getLogs request; null for every other method. */
  requestedRange?: BlockRange | null
}

export type RpcVerdict =
  | { kind: 'rate' }
  /**
   * Too much for one response: retry up to block `to`, which is null if one block is already too much. `maxBlocks` is a
   * limit that also holds for later requests. If not `sure`, the error could also mean an outage.
   */
  | { kind: 'range'; to: number | null; maxBlocks: number | null; sure: boolean }
  /** The node timed out; a smaller request (up to `to`) may work. */
  | { kind: 'timeout'; to: number | null }
  /** Retrying at this endpoint is useless: it lacks the method, or this part of history. */
  | { kind: 'unsupported'; what: 'method' | 'history' }
  /** The batch is too large; `maxItems` is the node's limit of requests per batch, if stated. */
  | { kind: 'unsupported'; what: 'batch'; maxItems?: number }
  /** The block is not there yet (or no longer). */
  | { kind: 'not-yet' }
  /** The endpoint needs a key, or is not an RPC endpoint. */
  | { kind: 'dead' }
  | { kind: 'reverted' }
  | { kind: 'other' }

const BATCH = /\bbatch/i
const MAX_ITEMS = /too many items in request: max (\d{1,6})/i
const BATCH_REFUSED = /size|limit|large|many|more than|exceed|max|support|disabled|not allowed/i
const RATE =
  /rate.?limit|rate exceeded|too (many|much) (requests|calls|concurrent|traffic|load)|(call|usage|traffic|throughput|concurrency) limit|requests? (per|limit|are (be |being )?limited)|compute.?units?|\bcredits?\b|throttl|quota|(daily|hourly|monthly) (request|limit)|requests?\/s|request rate|per second|\brps\b|capacity|slow down|retry in \d|error code: 1015/i
/** In order: HTTP, Ankr, BlockVision (rate), and BlockVision (calls). */
const RATE_CODES: readonly Code[] = [429, -32090, -32605, -32607]
const REVERTED =
  /revert|invalid opcode|invalid jump|stack (under|over)flow|out of gas|gas required exceeds|vm execution error|evm error|bad instruction|max call depth|write protection|return data out of bounds|gas uint64 overflow|stack limit reached/i
/** The beginning of a contract's own message, which may look like any other refusal. */
const REVERT_REASON = /^\s*(execution reverted|reverted|vm execution error|vm exception)/i
const HISTORY =
  /archive|missing trie node|\bprun(ed|ing)\b|height is not available|(historical|required) state|state (is )?(not |un)available|no state (is )?available|distance to target block/i
/** Errors of nodes that keep history only from some block on. */
const LATER_HISTORY =
  /\bhistor(y|ical)\b[^.;]{0,40}\b((un)?available|expired)\b|\b(available|kept|retained|stored) (only )?(from|since) block|\b(earliest|oldest|first) (available|known|stored) block|\bblock (number )?(#?\d+ )?(is )?too old\b/i
const DEAD =
  /unauthori[sz]ed|authenticat|api.?key|forbidden|payment required|suspended|access denied|invalid (project|token)|project id/i
const METHOD_MISSING =
  /specify an address|method[^.]*(not found|not supported|not available|not allowed|disabled|does not exist|unsupported)|unsupported method|does not exist\/is not available|version[^.]*(not supported|unsupported)|parse error/i
const METHOD_CODES: readonly Code[] = [-32601, -32004, -32006, -32700]
const NOT_YET =
  /header for hash not found|is not currently canonical|unfinalized|invalid block height|after last accepted block|unknown block|header not found|null round|beyond (the )?(current )?head|block not found|cannot be found|BlockOutOfRange|invalid block range|block height is \d+ but requested|resource not found|(greater|higher) than (the )?(latest|head)/i
const TIMEOUT = /time(d)?.?out|deadline exceeded/i
const RANGE =
  /blocks (per request|limit)|block range|blocks? distance|too many (blocks|logs|results)|max range|number of requested blocks|limited to|more than \d+ (results|logs)|response (size|too large)|limit the query|smaller than size|narrow your filter|ranges over|range \d+ exceeds|range (is )?too|range allowed|exceeds? (max|limit)|exceeded max|threshold exceeded|retry with the range/i
/** The range is too large, or there is only an outage. */
const PERHAPS_RANGE = /no backend is currently healthy/i
/** Our parameters are valid, so a node that calls them invalid can only mean the range. */
const PERHAPS_RANGE_CODES: readonly Code[] = [-32000, -32005, -32600, -32602]

const STATUS: Record<number, RpcVerdict> = {
  401: { kind: 'dead' },
  402: { kind: 'dead' },
  403: { kind: 'dead' },
  404: { kind: 'dead' },
  405: { kind: 'dead' },
  410: { kind: 'dead' },
  501: { kind: 'dead' },
  505: { kind: 'dead' },
}

/**
 * Returns what a node's error means. Judges mainly by its text, because providers use one code for several errors
 * (-32602 and -32005 above all). Some nodes put the text only in `data`.
 */
export function classifyRpcError(response: RpcErrorResponse): RpcVerdict {
  const byMessage = classifyText(response)
  const { data, requestedRange = null } = response
  // In methods other than eth_getLogs, a contract may choose `data`.
  if (requestedRange === null || isSettled(byMessage)) return byMessage
  const byData = classifyText({ ...response, message: wordsOf(data) })
  return isSettled(byData) || (isSure(byData) && !isSure(byMessage)) ? byData : byMessage
}

function isSettled(verdict: RpcVerdict): boolean {
  if (verdict.kind === 'range') return verdict.sure && verdict.maxBlocks !== null
  return verdict.kind !== 'other' && verdict.kind !== 'not-yet'
}

function isSure(verdict: RpcVerdict): boolean {
  return verdict.kind === 'range' && verdict.sure
}

/**
 * Checks in this order: a contract's own message, batch size, rate, other reverts, missing history, a stated limit,
 * errors that a smaller range cannot fix, head lag, timeout, range.
 */
function classifyText(response: RpcErrorResponse): RpcVerdict {
  const { httpStatus = 200, code = null, message = '', requestedRange = null } = response
  if (isRevert(httpStatus, code, message, requestedRange)) return { kind: 'reverted' }
  const items = MAX_ITEMS.exec(message)
  if (items) return { kind: 'unsupported', what: 'batch', maxItems: Math.max(1, Number(items[1])) }
  if (BATCH.test(message) && BATCH_REFUSED.test(message)) return { kind: 'unsupported', what: 'batch' }
  if (isRate(httpStatus, code, message, requestedRange)) return { kind: 'rate' }
  if (REVERTED.test(message) && requestedRange === null) return { kind: 'reverted' }
  if (HISTORY.test(message) || LATER_HISTORY.test(message)) return { kind: 'unsupported', what: 'history' }
  if (requestedRange && isOverLimit(message, requestedRange)) return rangeVerdict(response, requestedRange)
  const useless = permanentVerdict(httpStatus, code, message, requestedRange)
  if (useless) return useless
  if (NOT_YET.test(message) || code === -39001) return { kind: 'not-yet' }
  if (httpStatus === 408 || httpStatus === 504 || httpStatus === 524 || TIMEOUT.test(message)) {
    return { kind: 'timeout', to: requestedRange ? suggestRange('', null, requestedRange).to : null }
  }
  if (requestedRange) return rangeVerdict(response, requestedRange)
  const isTooLarge = httpStatus === 413 || /response too large/i.test(message)
  return isTooLarge ? { kind: 'range', to: null, maxBlocks: null, sure: true } : { kind: 'other' }
}

function isOverLimit(message: string, requested: BlockRange): boolean {
  const limit = statedLimit(message, requested)
  return limit !== null && limit <= requested.to - requested.from
}

/** Never read a contract's message as the node's: a contract could get an endpoint set aside. */
function isRevert(status: number, code: number | null, message: string, range: BlockRange | null): boolean {
  return range === null && status !== 429 && (code === 3 || REVERT_REASON.test(message))
}

function isRate(status: number, code: number | null, message: string, range: BlockRange | null): boolean {
  if (status === 429 || RATE_CODES.includes(code) || RATE.test(message)) return true
  // An HTML page comes from a proxy in front of the node.
  if (status === 200 && message.trimStart().startsWith('<')) return true
  return code === -32005 && range === null && !RANGE.test(message)
}

function permanentVerdict(
  status: number,
  code: number | null,
  message: string,
  range: BlockRange | null,
): RpcVerdict | null {
  if (METHOD_MISSING.test(message) || METHOD_CODES.includes(code)) {
    return { kind: 'unsupported', what: 'method' }
  }
  if (DEAD.test(message)) return { kind: 'dead' }
  if (status >= 300 && status < 400) return { kind: 'dead' }
  const byStatus = STATUS[status]
  if (byStatus && !RANGE.test(message)) return byStatus
  // BNB Chain's public nodes have disabled eth_getLogs and return this text. For a single block it cannot mean the
  // range.
  const single = range !== null && range.from === range.to
  if (single && code === -32005 && /^\s*limit exceeded\.?\s*$/i.test(message)) {
    return { kind: 'unsupported', what: 'method' }
  }
  return null
}

function rangeVerdict({ httpStatus, code, message = '', data }: RpcErrorResponse, range: BlockRange): RpcVerdict {
  const sure = RANGE.test(message) || statedLimit(message, range) !== null || httpStatus === 413
  const perhaps = PERHAPS_RANGE.test(message) || httpStatus === 503 || PERHAPS_RANGE_CODES.includes(code)
  if (!sure && !perhaps) return { kind: 'other' }
  if (!sure && range.from === range.to) return { kind: 'other' }
  return { kind: 'range', ...suggestRange(message, data, range), sure }
}

const HEX_HINT = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i
const DECIMAL_HINT = /range (\d+)\s?-\s?(\d+)/i

/**
 * Returns the end of a smaller range: the node's proposal, else its stated limit, else half. `to` is null if the range
 * is already one block.
 */
function suggestRange(
  message: string,
  data: unknown,
  { from, to }: BlockRange,
): { to: number | null; maxBlocks: number | null } {
  const blocks = to - from + 1
  const maxBlocks = statedLimit(message, { from, to })
  if (blocks <= 1) return { to: null, maxBlocks }
  const hint = hintedBlocks(message, data)
  const fitting = [hint, maxBlocks].find((n) => n !== null && n >= 1 && n < blocks) ?? blocks >> 1
  return { to: from + fitting - 1, maxBlocks }
}

function hintedBlocks(message: string, data: unknown): number | null {
  const found = HEX_HINT.exec(message) ?? DECIMAL_HINT.exec(message) ?? fromData(data)
  if (!found) return null
  const blocks = Number(found[2]) - Number(found[1]) + 1
  return Number.isSafeInteger(blocks) && blocks >= 1 ? blocks : null
}

/** Reads Infura's `data: { from, limit, to }`. */
function fromData(data: unknown): readonly [unknown, unknown, unknown] | null {
  if (typeof data !== 'object' || data === null || !('from' in data) || !('to' in data)) return null
  return [null, data.from, data.to]
}

const MAX_DEPTH = 3
const MAX_LENGTH = 2000

function wordsOf(data: unknown): string {
  return partsOf(data, MAX_DEPTH).join('; ').slice(0, MAX_LENGTH)
}

function partsOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [/^0x[0-9a-f]{1,8}$/i.test(value) ? String(Number(value)) : value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const parts = partsOf(field, depth - 1)
    return Array.isArray(value) ? parts : parts.map((part) => `${name.replaceAll('_', ' ')}: ${part}`)
  })
}

const BLOCKS = /\b(?:blocks?|ranges?|distance|span|smaller than size)\b/i
const CAP =
  /\b(?:max(?:imum)?|limit(?:ed|s)?|at most|up to|over|cap(?:ped)?|threshold|allow(?:ed|s)?|within|exceed(?:s|ed|ing)?|(?:more|larger|bigger|greater|wider|longer|higher|smaller|less|fewer) than)\b|[<>≤]/i
/** In a sentence with one of these words, a limit counts those items, unless a word for blocks follows the number. */
const OTHERS =
  /\b(?:logs?|results?|events?|entries|items?|records?|matches|responses?|bytes?|address(?:es)?|topics?|param(?:eter)?s?)\b/i
const UNIT =
  /^\s*(?:blocks?|logs?|results?|events?|entries|items?|records?|matches|bytes?|[kmg]i?b|ms|s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|requests?|req|calls?|address(?:es)?|topics?|param(?:eter)?s?|credits?|units?|compute|cu|rps|times)\b|^\s?%/i
/** Follows a number of blocks that is not an age. */
const OF_BLOCKS = /^[\s-]*(?:blocks?|ranges?)\b(?!\s+(?:behind|old|ago|away|deep|back|late)\b)/i
const NUMBER = /(?<![\w.#/-])(\d{1,9})(?:\s?(k)\b)?(?![\w/]|[.-]\d)/gi
/** Precedes a number that is a position or a name, not a limit. */
const PLACE =
  /\b(?:from|code|error|status|http|version|id|got|received|requested|latest|head|current|block|height|number)(?: is)?[\s:=#]*$|\bfrom \S+ to $/i

/**
 * Returns the maximum blocks per request that a refusal states in words (see the table in the test), or null. Ignores
 * the numbers of the requested range.
 */
function statedLimit(text: string, { from, to }: BlockRange): number | null {
  const blocks = to - from + 1
  const stated = sentencesOf(text)
    .flatMap(limitsIn)
    .filter((limit) => limit >= 1 && ![blocks, from, to].includes(limit))
  // Some nodes report the requested range without its first block, so prefer another number.
  return stated.find((limit) => limit !== blocks - 1) ?? stated[0] ?? null
}

/**
 * Splits a text into sentences. Also separates camel-case words, joins grouped digits, and removes the method's name,
 * which would be taken for a limit of logs.
 */
function sentencesOf(text: string): string[] {
  return text
    .replace(/\w*getLogs\b/gi, 'query')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/(\d)[,_\s](?=\d{3}(?!\d))/g, '$1')
    .split(/[;\n]|\.(?=\s|$)/)
}

function limitsIn(sentence: string): number[] {
  if (!CAP.test(sentence)) return []
  return [...sentence.matchAll(NUMBER)].flatMap((found) => {
    const before = sentence.slice(0, found.index)
    const after = sentence.slice(found.index + found[0].length)
    const ofBlocks = OF_BLOCKS.test(after)
    const isLimit = ofBlocks || (BLOCKS.test(sentence) && !OTHERS.test(sentence) && CAP.test(before))
    if (!isLimit || PLACE.test(before) || (!ofBlocks && UNIT.test(after))) return []
    return [Number(found[1]) * (found[2] === undefined ? 1 : 1000)]
  })
}
