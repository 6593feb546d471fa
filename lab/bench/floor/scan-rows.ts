const TOPICS = '"topics":["0x'
const ADDRESS_END = '",'.length + TOPICS.length
const DATA = '"data":"0x'
const BLOCK_NUMBER = '"blockNumber":"0x'
const TRANSACTION_HASH = '"transactionHash":"0x'
const TRANSACTION_INDEX = '"transactionIndex":"0x'
const LOG_INDEX = '"logIndex":"0x'
const NUMBER = '"number":"0x'
const TIMESTAMP = '"timestamp":"0x'
const FROM = '"from":"0x'
const SWAP_V2 = 'd78ad95f'
/** Of pairs, Uniswap V3 and PancakeSwap V3. */
const SWAPS: ReadonlySet<string> = new Set([SWAP_V2, 'c42079f9', '19b47279'])

/** A block in the text of its response. */
interface ScannedBlock {
  time: string
  /** Positions of the senders of its transactions, in their order; empty if they are not requested. */
  senders: readonly number[]
}

/**
 * The blocks of a batch's raw text, by their numbers.
 *
 * @param withSenders whether the senders of their transactions are looked for
 */
function scanBlocks(text: string, withSenders: boolean): Map<number, ScannedBlock> {
  const blocks = new Map<number, ScannedBlock>()
  for (let at = text.indexOf(NUMBER); at >= 0; ) {
    const number = quantity(text, at + NUMBER.length)
    const timestamp = quantity(text, text.indexOf(TIMESTAMP, at) + TIMESTAMP.length)
    const next = text.indexOf(NUMBER, at + 1)
    const senders: number[] = []
    if (withSenders) {
      const end = next < 0 ? text.length : next
      for (let tx = text.indexOf(FROM, at); tx >= 0 && tx < end; tx = text.indexOf(FROM, tx + FROM.length)) {
        senders.push(tx + FROM.length)
      }
    }
    blocks.set(number, { time: new Date(timestamp * 1000).toISOString(), senders })
    at = next
  }
  return blocks
}

/** Lines of COPY from the raw text of an eth_getLogs response and of a batch of full blocks; nothing is parsed. */
export function rowsOfLogs(logs: string, blocks: string): string {
  const known = scanBlocks(blocks, true)
  return rowsOf(logs, (at, number) => {
    const block = known.get(number)
    const sender = block?.senders[quantity(logs, after(logs, TRANSACTION_INDEX, at))]
    if (block === undefined || sender === undefined) throw new Error(`block ${number} lacks a transaction`)
    return { time: block.time, sender: blocks.substr(sender, 40) }
  })
}

/** The hashes of the transactions that swap, each once, from the raw text of an eth_getLogs response. */
export function swapTransactions(logs: string): string[] {
  const hashes = new Set<string>()
  for (let at = logs.indexOf(TOPICS); at >= 0; at = logs.indexOf(TOPICS, at)) {
    at += TOPICS.length
    const topic = logs.substr(at, 8)
    if (SWAPS.has(topic)) hashes.add(`0x${logs.substr(after(logs, TRANSACTION_HASH, at), 64)}`)
  }
  return [...hashes]
}

/** The same from a batch of whole receipts and of full blocks. */
export function rowsOfReceipts(receipts: string, blocks: string): string {
  const known = scanBlocks(blocks, false)
  return rowsOf(receipts, (at, number) => {
    const block = known.get(number)
    if (block === undefined) throw new Error(`block ${number} is not there`)
    // A receipt names its sender before its logs.
    return { time: block.time, sender: receipts.substr(receipts.lastIndexOf(FROM, at) + FROM.length, 40) }
  })
}

/** @param placeOf what a log's block and transaction say, by the position of its data and its block's number */
function rowsOf(text: string, placeOf: (at: number, number: number) => { time: string; sender: string }): string {
  let rows = ''
  for (let at = text.indexOf(TOPICS); at >= 0; at = text.indexOf(TOPICS, at)) {
    at += TOPICS.length
    const topic = text.substr(at, 8)
    if (!SWAPS.has(topic)) continue
    const pool = text.substr(at - ADDRESS_END - 40, 40)
    const data = after(text, DATA, at)
    at = after(text, BLOCK_NUMBER, data)
    const number = quantity(text, at)
    const { time, sender } = placeOf(at, number)
    const hash = text.substr(after(text, TRANSACTION_HASH, at), 64)
    const logIndex = quantity(text, after(text, LOG_INDEX, at))
    const [amount0, amount1] = topic === SWAP_V2 ? pairAmounts(text, data) : concentratedAmounts(text, data)
    rows += `${number}\t${logIndex}\t${time}\t\\\\x${hash}\t\\\\x${sender}\t\\\\x${pool}` + `\t${amount0}\t${amount1}\n`
  }
  return rows
}

function after(text: string, name: string, at: number): number {
  return text.indexOf(name, at) + name.length
}

function quantity(text: string, start: number): number {
  return Number.parseInt(text.slice(start, text.indexOf('"', start)), 16)
}

function pairAmounts(text: string, data: number): [bigint, bigint] {
  return [word(text, data, 0) - word(text, data, 2), word(text, data, 1) - word(text, data, 3)]
}

function concentratedAmounts(text: string, data: number): [bigint, bigint] {
  return [BigInt.asIntN(256, word(text, data, 0)), BigInt.asIntN(256, word(text, data, 1))]
}

function word(text: string, data: number, index: number): bigint {
  return BigInt(`0x${text.substr(data + index * 64, 64)}`)
}
