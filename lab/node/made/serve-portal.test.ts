import { expect, it, onTestFinished } from 'vitest'
import { TOPICS } from '../../chain/abi.ts'
import { loadKeccak } from '../../chain/commitments/keccak.ts'
import { MadeChain } from '../../chain/made/made-chain.ts'
import { PRESETS } from '../../chain/made/shapes.ts'
import { answer } from '../rpc/answer.ts'
import { madeView } from './made-view.ts'
import { serveMadePortal } from './serve-portal.ts'

const SHAPE = { ...PRESETS.polygon, transactions: 8, swaps: 3, logs: 30, pools: 16, cycle: 16 }
const SWAPS = [TOPICS.swapV2, TOPICS.swapV3, TOPICS.swapPancakeV3]

type Json = Record<string, unknown>
interface Line {
  header: Json
  transactions?: Json[]
  logs?: Json[]
}

async function startPortal() {
  const plan = { network: 'polygon', seed: 1, shape: SHAPE, history: 260 } as const
  const network = new MadeChain(plan, await loadKeccak())
  network.link(1_790_000_000)
  const clock = { ms: 0 }
  const portal = await serveMadePortal(network, () => clock.ms)
  onTestFinished(() => portal.close())
  const post = (query: Json, url = `${portal.url}/finalized-stream`) => {
    clock.ms += 500
    return fetch(url, { method: 'POST', body: JSON.stringify(query) })
  }
  const query = (fromBlock: number, toBlock: number, topic0: readonly string[] = SWAPS) => ({
    type: 'evm',
    fromBlock,
    toBlock,
    includeAllBlocks: true,
    fields: {},
    logs: [{ topic0, transaction: true, transactionLogs: true }],
  })
  const lines = async (response: Response) => {
    const text = (await response.text()).trimEnd()
    return text.split('\n').map((line) => JSON.parse(line) as Line)
  }
  return { network, portal, clock, post, query, lines }
}

it('shows every header, and all logs of the transactions with a requested one, as the node has them', async () => {
  const { network, post, query, lines } = await startPortal()
  const from = network.firstHead - 40
  const found = await lines(await post(query(from, from + 19)))
  expect(found.map(({ header }) => header.number)).toEqual(Array.from({ length: 20 }, (_, i) => from + i))
  const view = madeView(network, true)
  const request = (method: string, ...params: unknown[]) => JSON.parse(answer(view, method, params).join(''))
  let shown = 0
  for (const { header, transactions = [], logs = [] } of found) {
    const number = `0x${Number(header.number).toString(16)}`
    const block = request('eth_getBlockByNumber', number, true)
    const { hash, parentHash, timestamp } = block
    expect(header).toEqual({ number: Number(number), hash, parentHash, timestamp: Number(timestamp) })
    const receipts = (request('eth_getBlockReceipts', number) as { logs: Json[] }[]).filter(({ logs }) =>
      logs.some(({ topics }) => (SWAPS as unknown[]).includes((topics as string[])[0])),
    )
    const expected = receipts.flatMap((receipt) => receipt.logs)
    expect(logs).toEqual(
      expected.map(({ address, topics, data, logIndex, transactionIndex, transactionHash }) => ({
        address,
        topics,
        data,
        transactionHash,
        logIndex: Number(logIndex),
        transactionIndex: Number(transactionIndex),
      })),
    )
    expect(transactions).toEqual(
      block.transactions
        .filter((one: Json) => expected.some(({ transactionHash }) => transactionHash === one.hash))
        .map(({ transactionIndex, hash, from, value, type }: Json) => ({
          transactionIndex: Number(transactionIndex),
          hash,
          from,
          value,
          type: Number(type),
        })),
    )
    shown += logs.length
  }
  expect(shown).toBeGreaterThan(100)
  const [{ header, ...rest }] = (await lines(await post(query(from, from, [`0x${'1'.repeat(64)}`])))) as [Line]
  expect([header.number, rest]).toEqual([from, {}])
})

it('ends a response after a chunk, and at the last final block; after it there is nothing yet', async () => {
  const { network, portal, post, query, lines } = await startPortal()
  const { firstHead, first } = network
  const final = firstHead - SHAPE.finalityLag
  expect((await lines(await post(query(first, firstHead)))).at(-1)?.header.number).toBe(first + 199)
  expect((await lines(await post(query(final - 2, firstHead)))).at(-1)?.header.number).toBe(final)
  expect((await post(query(final + 1, firstHead))).status).toBe(204)
  expect(portal.usage).toMatchObject({ served: 2, refused: 0, blocks: 203 })
})

it('accepts two requests a second, and sets a time to retry', async () => {
  const { network, portal, clock, post, query } = await startPortal()
  const request = () => post(query(network.first, network.first))
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) {
    statuses.push((await request()).status)
    clock.ms -= 500
  }
  expect(statuses).toEqual([200, 200, 429, 429])
  expect((await request()).headers.get('retry-after')).toBe('1')
  clock.ms += 1_000
  expect((await request()).status).toBe(200)
  expect(portal.usage).toMatchObject({ served: 3, refused: 3 })
})

it('refuses other data sets and other queries', async () => {
  const { portal, network, post, query } = await startPortal()
  const whole = query(network.first, network.first)
  expect((await post(whole, `${portal.url}-2/finalized-stream`)).status).toBe(404)
  expect((await post({ ...whole, type: 'solana' })).status).toBe(400)
  expect((await post({ ...whole, logs: [] })).status).toBe(400)
  const other = { transaction: true, transactionLogs: true }
  expect((await post({ ...whole, logs: [...whole.logs, other] })).status).toBe(400)
})

it('has no logs of contracts that log without a topic', async () => {
  const { network, post, query, lines } = await startPortal()
  const byTopics = query(network.first, network.first + 5)
  const whole = { transaction: true, transactionLogs: true }
  const byContract = { address: [`0x${'11'.repeat(20)}`], ...whole }
  const found = await lines(await post({ ...byTopics, logs: [...byTopics.logs, byContract] }))
  expect(found).toEqual(await lines(await post(byTopics)))
})
