import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createLogger } from '@dexfeed/service'
import { type LakeLock, openLakeStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { fileKey, manifestKey } from '../src/manifest.ts'
import { readManifests } from '../src/read-manifests.ts'
import { compareLake, type LakeWriter, writeDueDays, writeLake } from '../src/write-lake.ts'
import { anyTrades, DATE, DAY, fillWorld, NETWORK, openWorld, type World } from './lake-world.ts'

let world: World
let output: string

beforeAll(async () => {
  world = await openWorld()
  const [trades = []] = fc.sample(anyTrades, { numRuns: 1, seed: 2 })
  await fillWorld(world, trades)
})

beforeEach(async () => {
  await world.database.pool.query('TRUNCATE lake_day')
  await world.objects.delete(manifestKey({ network: NETWORK, date: DATE }))
  output = ''
})

function writer(over: Partial<LakeWriter> = {}): LakeWriter {
  const to = new PassThrough()
  to.on('data', (line) => {
    output += line
  })
  const log = createLogger({ name: 'lake', level: 'info', to, format: 'json' })
  return {
    store: openLakeStore(world.database),
    objects: world.objects,
    work: world.work,
    codeVersion: '1',
    log,
    ...over,
  }
}

const HELD: LakeLock = { isHeld: () => true, release: async () => undefined }
const never = new AbortController().signal
const versions = async () => (await readManifests(world.objects, NETWORK)).map(({ date, version }) => [date, version])

it('what is due is written, and a failing day is tried again', async () => {
  const { objects } = world
  const putText = () => Promise.reject(new Error('the bucket is away'))
  const seen: string[] = []
  const reports = { onWritten: () => void seen.push('written'), onFailed: () => void seen.push('failed') }
  expect(await writeDueDays(writer({ objects: { ...objects, putText }, reports }), HELD, never)).toBe(false)
  expect(output).toContain('a day could not be written to the lake, trying again')
  expect(await writeDueDays(writer({ reports }), HELD, never)).toBe(true)
  expect(seen).toEqual(['failed', 'written'])
  expect(await versions()).toEqual([[DATE, 2]])
  expect(output).toContain('wrote a day to the lake')
})

it('a day that is missing in the lake, or is there in another version, is written again', async () => {
  await writeDueDays(writer(), HELD, never)
  await compareLake(writer())
  expect(await writeDueDays(writer(), HELD, never)).toBe(true)
  expect(await versions()).toEqual([[DATE, 1]])
  await world.objects.delete(manifestKey({ network: NETWORK, date: DATE }))
  await compareLake(writer())
  await writeDueDays(writer(), HELD, never)
  expect(await versions()).toEqual([[DATE, 2]])
  await world.database.pool.query('UPDATE lake_day SET version = 7')
  await compareLake(writer())
  await writeDueDays(writer(), HELD, never)
  expect(await versions()).toEqual([[DATE, 8]])
  await world.objects.putText(manifestKey({ network: NETWORK, date: DATE }), '{"version": "no manifest"}')
  await compareLake(writer())
  await writeDueDays(writer(), HELD, never)
  expect(await versions()).toEqual([[DATE, 9]])
  expect(output).not.toContain('neither in the lake')
})

it('a day is written again if one of its files is missing, or not whole', async () => {
  await writeDueDays(writer(), HELD, never)
  const file = (version: number) => fileKey('flows', { network: NETWORK, date: DATE }, version)
  await world.objects.delete(file(1))
  await compareLake(writer())
  await writeDueDays(writer(), HELD, never)
  expect(await versions()).toEqual([[DATE, 2]])
  truncateSync(join(world.lake, file(2)), 100)
  await compareLake(writer())
  await writeDueDays(writer(), HELD, never)
  expect(await versions()).toEqual([[DATE, 3]])
})

it('a day that fails is not tried again at once', async () => {
  const failures = new Map()
  const putText = () => Promise.reject(new Error('the bucket is away'))
  await writeDueDays(writer({ objects: { ...world.objects, putText } }), HELD, never, failures)
  expect(await writeDueDays(writer(), HELD, never, failures)).toBe(false)
  expect(await versions()).toEqual([])
  for (const failure of failures.values()) failure.retryAt = 0
  expect(await writeDueDays(writer(), HELD, never, failures)).toBe(true)
})

it('days are written though the lake cannot be compared', async () => {
  const program = new AbortController()
  const list = (prefix: string) =>
    prefix.startsWith('manifests/') ? Promise.reject(new Error('a bad object')) : world.objects.list(prefix)
  const sleep = async () => program.abort()
  await writeLake(writer({ objects: { ...world.objects, list }, sleep }), program.signal)
  expect(output).toContain('the lake could not be compared')
  expect(await versions()).toEqual([[DATE, 1]])
})

it('a day that is neither in the lake nor in the database is reported', async () => {
  await writeDueDays(writer(), HELD, never)
  await world.objects.delete(manifestKey({ network: NETWORK, date: DATE }))
  await world.database.pool.query(`INSERT INTO kept_days (since) VALUES (DATE '1970-01-01' + $1::int)`, [DAY + 1])
  closeAfter(() => world.database.pool.query('TRUNCATE kept_days'))
  await compareLake(writer())
  expect(output).toContain(
    'days are neither in the lake nor in the database: restore their files from a copy, or set RESTORE_SINCE and RETENTION_DAYS',
  )
  expect(output).toContain(DATE)
})

it('a day of another schema is written again only if the database has it', async () => {
  await writeDueDays(writer(), HELD, never)
  const [manifest] = await readManifests(world.objects, NETWORK)
  const key = manifestKey({ network: NETWORK, date: DATE })
  await world.objects.putText(key, JSON.stringify({ ...manifest, schema_version: 99 }))
  await world.database.pool.query(`INSERT INTO kept_days (since) VALUES (DATE '1970-01-01' + $1::int)`, [DAY + 1])
  await compareLake(writer())
  await world.database.pool.query('TRUNCATE kept_days')
  expect(output).not.toContain('days are')
  expect(await writeDueDays(writer(), HELD, never)).toBe(true)
  expect(await versions()).toEqual([[DATE, 1]])
  await compareLake(writer())
  expect(output).toContain('writing them again')
  await writeDueDays(writer(), HELD, never)
  expect(await versions()).toEqual([[DATE, 2]])
})

it('of two programs one writes, and the other continues when it has ended', async () => {
  const [first, second] = [new AbortController(), new AbortController()]
  closeAfter(() => [first, second].forEach((program) => void program.abort()))
  let sleeping = () => {}
  const slept = () =>
    new Promise<void>((resolve) => {
      sleeping = resolve
    })
  const programOf = (name: string) =>
    writer({
      codeVersion: name,
      sleep: (_, signal) => {
        sleeping()
        return new Promise((resolve) => void signal.addEventListener('abort', resolve, { once: true }))
      },
    })
  const firstSleeps = slept()
  const one = writeLake(programOf('one'), first.signal)
  await firstSleeps
  const secondSleeps = slept()
  const two = writeLake({ ...programOf('two'), sleep: async () => sleeping() }, second.signal)
  await secondSleeps
  expect(output).toContain('another program writes the lake, waiting for it')
  await world.database.pool.query('TRUNCATE lake_day')
  first.abort()
  await one
  await expect.poll(async () => (await readManifests(world.objects, NETWORK))[0]?.code_version).toBe('two')
  second.abort()
  await two
  expect(await versions()).toEqual([[DATE, 2]])
})
