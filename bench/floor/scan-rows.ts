/** Lines of COPY from the raw text of an eth_getLogs answer and of a batch of full blocks; nothing is parsed. */
export function scanRows(logs: string, blocks: string): string {
  const known = scanBlocks(blocks)
  let rows = ''
  let at = 0
  const field = (name: string): number => {
    at = logs.indexOf(name, at) + name.length
    return at
  }
  while (logs.indexOf(ADDRESS, at) >= 0) {
    const pool = logs.substr(field(ADDRESS), 40)
    const topic = logs.substr(field(TOPICS), 8)
    const data = field(DATA)
    const number = quantity(logs, field(BLOCK_NUMBER))
    const transactionIndex = quantity(logs, field(TRANSACTION_INDEX))
    const logIndex = quantity(logs, field(LOG_INDEX))
    if (topic === SYNC) continue
    const block = known.get(number)
    const transaction = block?.transactions[transactionIndex]
    if (block === undefined || transaction === undefined) throw new Error(`block ${number} lacks a transaction`)
    const [amount0, amount1] = topic === SWAP_V2 ? pairAmounts(logs, data) : concentratedAmounts(logs, data)
    rows +=
      `${number}\t${logIndex}\t${block.time}\t\\\\x${transaction.hash}\t\\\\x${transaction.from}\t\\\\x${pool}` +
      `\t${amount0}\t${amount1}\n`
  }
  return rows
}

const ADDRESS = '{"address":"0x'
const TOPICS = '"topics":["0x'
const DATA = '"data":"0x'
const BLOCK_NUMBER = '"blockNumber":"0x'
const TRANSACTION_INDEX = '"transactionIndex":"0x'
const LOG_INDEX = '"logIndex":"0x'
const SYNC = '1c411e9a'
const SWAP_V2 = 'd78ad95f'

interface ScannedBlock {
  time: string
  transactions: { from: string; hash: string }[]
}

function scanBlocks(text: string): Map<number, ScannedBlock> {
  const blocks = new Map<number, ScannedBlock>()
  for (let at = text.indexOf(NUMBER); at >= 0; at = text.indexOf(NUMBER, at)) {
    const number = quantity(text, at + NUMBER.length)
    const timestamp = quantity(text, text.indexOf(TIMESTAMP, at) + TIMESTAMP.length)
    const end = text.indexOf(NUMBER, at + 1)
    const transactions: ScannedBlock['transactions'] = []
    for (let tx = text.indexOf(FROM, at); tx >= 0 && (end < 0 || tx < end); tx = text.indexOf(FROM, tx)) {
      const from = text.substr(tx + FROM.length, 40)
      tx = text.indexOf(HASH, tx) + HASH.length
      transactions.push({ from, hash: text.substr(tx, 64) })
    }
    blocks.set(number, { time: new Date(timestamp * 1000).toISOString(), transactions })
    at += NUMBER.length
  }
  return blocks
}

const NUMBER = '"number":"0x'
const TIMESTAMP = '"timestamp":"0x'
const FROM = '"from":"0x'
const HASH = '"hash":"0x'

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
