// The best that this machine can do: fetches the same data as the indexer and writes one row per swap.
// Arguments: RPC URL, database URL, first and last block, `logs` or `receipts`.
import { once } from 'node:events'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { request } from 'undici'
import { TOPICS } from '../chain/abi.ts'

/** A range has about 9,000 logs (nodes return at most 10,000), or about 4 MB of receipts. */
const BLOCKS_PER_RANGE = { logs: 24, receipts: 5 }
const RANGES_IN_FLIGHT = 3
const TOPICS_READ = [TOPICS.sync, TOPICS.swapV2, TOPICS.swapV3, TOPICS.swapPancakeV3, TOPICS.mintV3, TOPICS.burnV3]
const RECEIPTS_PER_REQUEST = 200

const FLOOR_TABLE = `
  DROP TABLE IF EXISTS floor_swap;
  CREATE TABLE floor_swap (
    block_number bigint NOT NULL,
    log_index int NOT NULL,
    block_time timestamptz NOT NULL,
    tx_hash bytea NOT NULL,
    trader bytea NOT NULL,
    pool bytea NOT NULL,
    amount0 numeric NOT NULL,
    amount1 numeric NOT NULL,
    PRIMARY KEY (block_number, log_index)
  );
  CREATE INDEX ON floor_swap (block_time);
  CREATE INDEX ON floor_swap (trader);
  CREATE INDEX ON floor_swap (pool)`

interface Log {
  address: string
  topics: readonly string[]
  data: string
  blockNumber: string
  transactionHash: string
  transactionIndex: string
  logIndex: string
}

interface Block {
  timestamp: string
  transactions: readonly { from: string }[]
}

/** V2 pairs log amounts in and out; V3 pools log signed amounts. */
const SWAPS: ReadonlySet<string | undefined> = new Set([TOPICS.swapV2, TOPICS.swapV3, TOPICS.swapPancakeV3])

const [rpcUrl = '', databaseUrl = '', firstBlock = '0', lastBlock = '0', given = 'logs'] = process.argv.slice(2)
const read = given === 'receipts' ? 'receipts' : 'logs'
const client = new Client({ connectionString: databaseUrl })
await client.connect()
await client.query(FLOOR_TABLE)
let next = Number(firstBlock)
let writing: Promise<void> = Promise.resolve()
await Promise.all(Array.from({ length: RANGES_IN_FLIGHT }, fetchRanges))
await writing
const endedAt = performance.timeOrigin + performance.now()
await client.end()
process.send?.({ endedAt })
process.disconnect?.()

async function fetchRanges(): Promise<void> {
  while (next <= Number(lastBlock)) {
    const from = next
    const to = Math.min(Number(lastBlock), from + BLOCKS_PER_RANGE[read] - 1)
    next = to + 1
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const [logs, blocks] = await Promise.all([
      read === 'logs' ? fetchLogs(from, to) : fetchReceiptLogs(numbers),
      post<Block>(numbers.map((number) => ['eth_getBlockByNumber', hex(number), true])),
    ])
    const rows = logs
      .filter(({ topics }) => SWAPS.has(topics[0]))
      .map((log) => rowOf(log, blocks[Number(log.blockNumber) - from]))
    writing = writing.then(() => copy(rows.join('')))
    await writing
  }
}

/** Also fetches the receipts of swaps, as the indexer does, but does not use them. */
async function fetchLogs(from: number, to: number): Promise<Log[]> {
  const [logs = []] = await post<Log[]>([
    ['eth_getLogs', { fromBlock: hex(from), toBlock: hex(to), topics: [TOPICS_READ] }],
  ])
  const swaps = logs.filter(({ topics }) => SWAPS.has(topics[0]))
  const hashes = [...new Set(swaps.map(({ transactionHash }) => transactionHash))]
  for (let i = 0; i < hashes.length; i += RECEIPTS_PER_REQUEST) {
    await post(hashes.slice(i, i + RECEIPTS_PER_REQUEST).map((hash) => ['eth_getTransactionReceipt', hash]))
  }
  return logs
}

async function fetchReceiptLogs(numbers: readonly number[]): Promise<Log[]> {
  const lists = await post<{ logs: Log[] }[]>(numbers.map((number) => ['eth_getBlockReceipts', hex(number)]))
  return lists.flatMap((receipts) => receipts.flatMap(({ logs }) => logs))
}

function rowOf(log: Log, block: Block | undefined): string {
  const sender = block?.transactions[Number(log.transactionIndex)]?.from
  if (block === undefined || sender === undefined) throw new Error(`block ${log.blockNumber} lacks a transaction`)
  const word = (index: number) => BigInt(`0x${log.data.slice(2 + 64 * index, 66 + 64 * index)}`)
  const [amount0, amount1] =
    log.topics[0] === TOPICS.swapV2
      ? [word(0) - word(2), word(1) - word(3)]
      : [BigInt.asIntN(256, word(0)), BigInt.asIntN(256, word(1))]
  const time = new Date(Number(block.timestamp) * 1_000).toISOString()
  const bytes = [log.transactionHash, sender, log.address].map((text) => `\\\\x${text.slice(2)}`)
  return `${[Number(log.blockNumber), Number(log.logIndex), time, ...bytes, amount0, amount1].join('\t')}\n`
}

async function copy(rows: string): Promise<void> {
  const stream = client.query(copyFrom('COPY floor_swap FROM STDIN'))
  stream.end(rows)
  await once(stream, 'finish')
}

async function post<T>(requests: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<T[]> {
  const body = JSON.stringify(requests.map(([method, ...params]) => ({ jsonrpc: '2.0', id: 1, method, params })))
  const response = await request(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.body.json()) as { result: T }[]).map(({ result }) => result)
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
