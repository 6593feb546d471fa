import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { openBudgets } from '@dexfeed/chain'
import type { NetworkName } from '@dexfeed/dex'
import type { NetworkSettings } from '@dexfeed/service'
import { afterEach, expect, test, vi } from 'vitest'
import { quiet } from '../../test/scene/made-values.ts'
import type { ReferenceCache } from '../blocks/reference-history.ts'
import { DroppedEvents } from '../pools/dropped-events.ts'
import { HistoryProcesses } from './history-processes.ts'
import { type Channel, joinIndexer } from './join-indexer.ts'
import type { HistoryReports, ToHistory } from './messages.ts'

afterEach(() => vi.useRealTimers())

const NETWORKS: NetworkName[] = ['eth', 'bsc']
const SETTINGS = NETWORKS.map((network) => ({
  network,
  rpcUrls: [`http://${network}-1`, `ws://${network}`, `http://${network}-2`],
  rates: [{ perS: 1, burst: 30, unit: 'items' }, null],
  computeUnits: {},
})) as unknown as NetworkSettings[]
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A process that exists only in this test, with its end of the channel. Messages arrive later, as copies. */
class MadeProcess extends EventEmitter {
  connected = true
  readonly #listeners: ((message: ToHistory) => void)[] = []
  readonly channel: Channel = {
    send: (message) => {
      const copy = structuredClone(message)
      setImmediate(() => this.emit('message', copy))
    },
    onMessage: (listen) => this.#listeners.push(listen),
  }

  send(message: ToHistory): void {
    const copy = structuredClone(message)
    setImmediate(() => {
      for (const listen of this.#listeners) listen(copy)
    })
  }

  disconnect(): void {
    this.connected = false
    setImmediate(() => this.end(0))
  }

  end(code: number): void {
    this.connected = false
    this.emit('exit', code)
  }

  kill(): void {
    this.end(1)
  }
}

function scene(count = 1, waits = false) {
  const started: MadeProcess[] = []
  const counted: [string, string, ...unknown[]][] = []
  const reportsOf = (network: NetworkName): HistoryReports => {
    const note =
      (name: string) =>
      (...values: unknown[]) =>
        void counted.push([network, name, ...values])
    return {
      onRead: note('onRead'),
      onProof: note('onProof'),
      onRequest: note('onRequest'),
      onStored: note('onStored'),
      onDropped: note('onDropped'),
    }
  }
  const networks = SETTINGS.map((networkSettings) => {
    const budgets = openBudgets({ ...networkSettings, urls: networkSettings.rpcUrls })
    return {
      network: networkSettings.network,
      budgets,
      reports: reportsOf(networkSettings.network),
      dropped: new DroppedEvents(),
    }
  })
  const warned: object[] = []
  const pauses: number[] = []
  const processes = new HistoryProcesses({
    count,
    networks,
    waits,
    start: () => {
      const madeProcess = new MadeProcess()
      started.push(madeProcess)
      return madeProcess as unknown as ChildProcess
    },
    log: { ...quiet, warn: (values: object) => warned.push(values) },
    clock: { sleep: async (ms) => void pauses.push(ms) },
  })
  const joined = (at = 0) => joinIndexer((started[at] as MadeProcess).channel, SETTINGS)
  return { processes, networks, started, counted, warned, pauses, joined }
}

test('they run from the start, while any network lacks history, and end a minute after none does', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { processes, started, warned } = scene(2)
  await turn()
  expect(started).toHaveLength(2)
  processes.note('eth', false)
  vi.advanceTimersByTime(600_000)
  processes.note('bsc', false)
  vi.advanceTimersByTime(59_000)
  processes.note('bsc', true)
  vi.advanceTimersByTime(59_000)
  processes.note('bsc', false)
  vi.advanceTimersByTime(59_000)
  expect(started.map(({ connected }) => connected)).toEqual([true, true])
  vi.advanceTimersByTime(1_000)
  expect(started.map(({ connected }) => connected)).toEqual([false, false])
  // The processes are still ending.
  processes.note('eth', true)
  expect(started).toHaveLength(2)
  await turn()
  await turn()
  expect(started).toHaveLength(4)
  await processes.close()
  expect(started.map(({ connected }) => connected)).toEqual([false, false, false, false])
  expect(warned).toEqual([])
})

test('while no node responds they do not run, and so repeat no warnings', async () => {
  const { processes, started } = scene(1, true)
  await turn()
  expect(started).toHaveLength(0)
  processes.note('eth', true)
  await turn()
  await turn()
  expect(started).toHaveLength(1)
  await processes.close()
})

test('one that ends by itself is reported and started again, with growing pauses', async () => {
  const { processes, started, warned, pauses } = scene()
  for (let times = 1; times <= 3; times++) {
    await expect.poll(() => started).toHaveLength(times)
    started.at(-1)?.end(1)
    await expect.poll(() => warned).toHaveLength(times)
  }
  expect(pauses).toEqual([500, 1_000, 2_000])
  await expect.poll(() => started).toHaveLength(4)
  await processes.close()
  expect(warned).toHaveLength(3)
  expect(started).toHaveLength(4)
})

test('they use the budgets of the indexer, whose metrics count what they report', async () => {
  const { processes, networks, joined, counted } = scene()
  await turn()
  const bsc = (await joined())('bsc')
  expect(bsc.budgets.map((budget) => budget.state().perS)).toEqual([1, null])
  await bsc.budgets[0]?.take('bulk', 10, new AbortController().signal)
  const [own] = networks[1]?.budgets ?? []
  // The child took part of the burst of 30, and some is kept in reserve.
  const stop = AbortSignal.timeout(20)
  const { waitedMs } = (await own?.take('live', 25, stop)) ?? { waitedMs: 0 }
  expect(waitedMs).toBeGreaterThan(0)
  bsc.reports.onRead(7, 'proven')
  bsc.reports.onCommit({
    from: 1,
    to: 4,
    trades: [
      { usdE8: null, flags: 2 },
      { usdE8: 1n, flags: 0 },
    ],
  } as never)
  bsc.reports.onRequest({ endpoint: 'a', waitedMs: Number.NaN } as never)
  await turn()
  expect(counted).toEqual([
    ['bsc', 'onRead', 7, 'proven'],
    ['bsc', 'onStored', { blocks: 4, trades: 2, unpriced: 1, flagged: 1 }],
    ['bsc', 'onRequest', { endpoint: 'a', waitedMs: Number.NaN }],
  ])
  await processes.close()
})

test('what they drop is known to the indexer, which outlives them', async () => {
  const { processes, networks, joined, counted } = scene()
  await turn()
  const { reports } = (await joined())('bsc')
  const dropped = { unverified: 3, malformed: 0, emitters: [{ emitter: '0xaa', from: 5, to: 7 }] } as const
  reports.onDropped(dropped)
  await turn()
  await processes.close()
  expect(counted).toEqual([['bsc', 'onDropped', dropped]])
  expect(networks.map((each) => each.dropped.take(() => true))).toEqual([[], [{ from: 5, to: 7 }]])
})

test('what one waits for in a budget no longer counts after its end', async () => {
  const { processes, networks, started, joined } = scene()
  await turn()
  const budget = (await joined())('bsc').budgets[0]
  await networks[1]?.budgets[0]?.take('live', 30, new AbortController().signal)
  void budget?.take('live', 30, new AbortController().signal)
  await turn()
  started[0]?.end(1)
  await turn()
  const spending = await networks[1]?.budgets[0]?.take('live', 1, new AbortController().signal)
  expect(spending?.waitedMs).toBeLessThan(20_000)
  await processes.close()
})

test('history continues what the indexer reads of the reference pools, or reads them itself if it reads nothing', async () => {
  const { processes, joined } = scene(2)
  const cache: ReferenceCache = { known: new Map([['0xa', { from: 1, to: 9, seen: [] }]]), times: new Map([[1, 12]]) }
  await turn()
  const [one, other] = [await joined(0), await joined(1)]
  expect(await one('bsc').references()).toBeNull()
  const reading = new EventEmitter<{ end: [{ cache: ReferenceCache }] }>()
  processes.share(
    'bsc',
    once(reading, 'end').then(([read]) => read),
  )
  processes.share('eth', Promise.resolve(null))
  const waiting = other('bsc').references()
  await turn()
  reading.emit('end', { cache })
  expect(await waiting).toEqual(cache)
  expect(await other('eth').references()).toBeNull()
  await processes.close()
})

test('an indexer that does not respond is an error', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const mute: Channel = { send: () => undefined, onMessage: () => undefined }
  const refused = expect(joinIndexer(mute, SETTINGS)).rejects.toThrow('does not respond')
  vi.advanceTimersByTime(10_000)
  await refused
})
