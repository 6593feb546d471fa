// The leanest program that fetches what the indexer fetches and writes a row per swap: what the machine gives at best.
// It checks nothing, follows nothing and knows the chain's shape. Arguments: RPC URL, database URL, first and last
// block, and whether it reads logs or receipts.
import { once } from 'node:events'
import { TOPICS } from '@dexfeed/fake-node/abi'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { request } from 'undici'
import { rowsOfLogs, rowsOfReceipts, swapTransactions } from './scan-rows.ts'

/** Some 9,000 logs of the 10,000 that the node returns at most; of receipts, some 4 MB. */
const BLOCKS_PER_RANGE = { logs: 24, receipts: 5 }
const RANGES_IN_FLIGHT = 3
/** The topics that the indexer requests on such a chain. */
const TOPICS_READ = [TOPICS.sync, TOPICS.swapV2, TOPICS.swapV3, TOPICS.swapPancakeV3, TOPICS.mintV3, TOPICS.burnV3]
/** Receipts per request, of transactions that swap, if receipts of whole blocks are not served. */
const RECEIPTS_PER_REQUEST = 200

/** One row per swap, a primary key and three indexes. */
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
    const [events, blocks] = await Promise.all([
      read === 'logs'
        ? post([question('eth_getLogs', [{ fromBlock: hex(from), toBlock: hex(to), topics: [TOPICS_READ] }])])
        : post(numbers.map((number) => question('eth_getBlockReceipts', [hex(number)]))),
      post(numbers.map((number) => question('eth_getBlockByNumber', [hex(number), true]))),
    ])
    if (read === 'logs') await fetchReceipts(swapTransactions(events))
    const rows = read === 'logs' ? rowsOfLogs(events, blocks) : rowsOfReceipts(events, blocks)
    writing = writing.then(() => copy(rows))
    await writing
  }
}

/** What the indexer reads of transactions that swap; nothing of it gets into the floor's rows. */
async function fetchReceipts(hashes: readonly string[]): Promise<void> {
  for (let i = 0; i < hashes.length; i += RECEIPTS_PER_REQUEST) {
    const part = hashes.slice(i, i + RECEIPTS_PER_REQUEST)
    await post(part.map((hash) => question('eth_getTransactionReceipt', [hash])))
  }
}

async function copy(rows: string): Promise<void> {
  const stream = client.query(copyFrom('COPY floor_swap FROM STDIN'))
  stream.end(rows)
  await once(stream, 'finish')
}

async function post(questions: readonly object[]): Promise<string> {
  const body = JSON.stringify(questions)
  const response = await request(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return Buffer.from(await response.body.arrayBuffer()).toString('latin1')
}

function question(method: string, params: readonly unknown[]): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
