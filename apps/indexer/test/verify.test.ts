import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { closeAfter, emptyDatabase, queryOnce, temporaryFolder } from '@dexfeed/test-setup'
import { runCommand } from '@dexfeed/test-setup/run-command'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { beforeAll, expect, test } from 'vitest'
import { run } from '../src/cli/verify.ts'
import { environmentOf, startProgram } from './scene/programs.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'

const BLOCKS = 80
const dexConfigFile = join(temporaryFolder(), 'dex.json')
let scene: ScriptedScene
let right: Record<string, string[]>

beforeAll(async () => {
  scene = await scriptedScene('bsc', BLOCKS)
  scene.writeConfig(dexConfigFile)
  right = await scene.cleanIndex()
})

/** Returns a correct database, changed only by these statements. */
async function spoilt(...statements: string[]): Promise<string> {
  const databaseUrl = await scene.indexed()
  for (const statement of statements) await queryOnce(databaseUrl, statement)
  return databaseUrl
}

const program = (databaseUrl: string, rpcUrl = scene.rpcUrl) => ({
  place: { databaseUrl, redisUrl: null },
  rpcUrl,
  dexConfigFile,
})

async function verifyCommand(databaseUrl: string, ...args: string[]) {
  const { exitCode, stdout } = await runCommand(run, ['--network', 'bsc', ...args], environmentOf(program(databaseUrl)))
  return { exitCode, lines: stdout.split('\n').filter((line) => line !== '') }
}

test('indexed rows equal the chain', async () => {
  const databaseUrl = await spoilt()
  expect(await scene.verify(databaseUrl)).toMatchObject({ isRight: true })
  expect(await dumpTables(databaseUrl)).toEqual(right)
})

test.each([
  [
    'another amount, value, flag and trader',
    ['sell_amount', 'volume_usd', 'flags', 'trader 0x'],
    'UPDATE swap SET sell_amount = sell_amount + 1 WHERE block_number BETWEEN 40 AND 45',
    'UPDATE swap SET volume_usd = volume_usd * 2 WHERE block_number = (SELECT min(block_number) FROM swap WHERE volume_usd > 0)',
    'UPDATE swap SET flags = flags + 1 WHERE block_number BETWEEN 3 AND 20',
    "UPDATE swap SET trader = '\\x00000000000000000000000000000000000000aa' WHERE block_number = 50",
  ],
  [
    'rows that are missing, and an additional one',
    ['missing', 'extra'],
    'DELETE FROM swap WHERE block_number BETWEEN 20 AND 40 AND position = 0',
    'INSERT INTO swap SELECT chain_id, block_number, transaction_index, position + 50, block_time, tx_hash, trader, sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags FROM swap WHERE block_number = 50',
  ],
  [
    'another time of the covered range',
    ['from_time'],
    "UPDATE covered_range SET from_time = from_time - interval '1 hour'",
  ],
  [
    'creations of pools that are missing, of another account, and in another block',
    ['creation of 0x', 'should be block 1 (', 'should be nothing'],
    'DELETE FROM pool_creation WHERE block_number = 1',
    'UPDATE pool_creation SET creator = NULL WHERE block_number = 2',
    'UPDATE pool_creation SET block_number = 9 WHERE block_number = 3',
    "INSERT INTO pool_creation SELECT chain_id, '\\x00000000000000000000000000000000000000aa', 30, block_time, 0, tx_hash FROM pool_creation WHERE block_number = 4",
  ],
  ['other totals of a day', ['day_total'], 'UPDATE day_total SET swaps = swaps + 3, volume_usd = 0'],
  ['traders of a day that are gone', ['day_trader'], 'DELETE FROM day_trader', 'DELETE FROM day_address_count'],
])('%s: reported, repaired, and then as indexing leaves it', async (_, reported, ...statements) => {
  const databaseUrl = await spoilt(...(statements as string[]))
  const found = await scene.verify(databaseUrl)
  expect(found.isRight).toBe(false)
  const text = found.lines.join('')
  expect(reported.filter((what) => !text.includes(what))).toEqual([])
  expect(await scene.verify(databaseUrl, { repair: true })).toMatchObject({ isRight: true })
  expect(await dumpTables(databaseUrl)).toEqual(right)
})

test('beside a running indexer', async () => {
  const databaseUrl = await spoilt('DELETE FROM swap WHERE block_number < 40')
  const own = await scriptedScene('bsc', BLOCKS)
  const running = await own.index(databaseUrl)
  const repaired = own.verify(databaseUrl, { repair: true })
  own.chain.mine(20)
  await running.caughtUp(own.head())
  expect(await repaired).toMatchObject({ isRight: true })
  await running.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await own.cleanIndex())
})

test('differing pool states are reported; with --repair they are invalidated, and the indexer reads them again', async () => {
  const databaseUrl = await spoilt('UPDATE pool_tick SET net = -net', 'UPDATE pool_state SET reserve1 = reserve1 + 7')
  const own = await scriptedScene('bsc', BLOCKS)
  const found = await own.verify(databaseUrl)
  expect(found.isRight).toBe(false)
  expect(found.lines.join('')).toMatch(/^80 +pool state +0x[0-9a-f]{40} tick -?\d+ \d+ gross -?\d+ net should be /m)
  expect(found.lines.join('')).toMatch(/^80 +pool state +0x[0-9a-f]{40} reserve1 \d+ should be \d+$/m)
  expect(found.lines.at(-1)).toMatch(/^bsc: \d+ blocks with \d+ trades and \d+ pool states compared, \d+ differences/)
  expect(await own.verify(databaseUrl, { from: 40 })).toMatchObject({ isRight: true })
  const alone = await own.verify(databaseUrl, { statesAlone: true, repair: true })
  expect(alone.isRight).toBe(true)
  expect(alone.lines.at(-1)).toMatch(
    /^bsc: 0 blocks with 0 trades and \d+ pool states compared, (\d+) differences, \1 /,
  )
  expect(await own.verify(databaseUrl)).toMatchObject({ isRight: true })
  own.chain.mine(1)
  const running = await own.index(databaseUrl)
  await expect.poll(() => queryOnce(databaseUrl, 'SELECT FROM invalidated_pool WHERE trusted_from IS NULL')).toEqual([])
  await running.caughtUp(own.head())
  await running.stop()
  expect(await own.verify(databaseUrl, { statesAlone: true })).toMatchObject({ isRight: true })
  expect(await dumpTables(databaseUrl)).toEqual(await own.cleanIndex())
})

test('states that nodes no longer have are not compared, and not counted as right if only they are requested', async () => {
  const databaseUrl = await spoilt('UPDATE pool_state SET reserve1 = reserve1 + 7')
  const own = await scriptedScene('bsc', BLOCKS)
  own.chain.mine(65)
  const rows = await own.verify(databaseUrl)
  expect([rows.isRight, rows.notes.join('')]).toEqual([true, expect.stringContaining('no indexer is near the head')])
  expect(await own.verify(databaseUrl, { statesAlone: true })).toMatchObject({ isRight: false })
})

test('the exit code of the command shows whether the rows are right', async () => {
  const databaseUrl = await spoilt('DELETE FROM swap WHERE block_number = 50')
  const found = await verifyCommand(databaseUrl, '--from', '45', '--to', '55')
  expect(found.exitCode).toBe(1)
  expect(found.lines.some((line) => /^50 \d+\/\d+ +missing +0x[0-9a-f]{64}$/.test(line))).toBe(true)
  expect(found.lines.at(-1)).toMatch(/^bsc: 11 blocks with \d+ trades compared, \d+ differences, 0 repaired$/)
  expect((await verifyCommand(databaseUrl, '--to', '49')).exitCode).toBe(1) // the day's totals
  expect((await verifyCommand(databaseUrl, '--states')).exitCode).toBe(0)
  await queryOnce(databaseUrl, 'UPDATE pool_state SET liquidity = liquidity + 1')
  const states = await verifyCommand(databaseUrl, '--states')
  expect([states.exitCode, states.lines.at(-1)]).toEqual([1, expect.stringContaining('pool states compared')])
  expect((await verifyCommand(databaseUrl, '--states', '--to', '49')).exitCode).toBe(1)
  await queryOnce(databaseUrl, 'UPDATE pool_state SET liquidity = liquidity - 1')
  expect((await verifyCommand(databaseUrl, '--repair')).exitCode).toBe(0)
  expect((await verifyCommand(databaseUrl)).exitCode).toBe(0)
  expect(await dumpTables(databaseUrl)).toEqual(right)
})

test('uncovered blocks are reported, and do not count as equal', async () => {
  const databaseUrl = await spoilt('UPDATE covered_range SET from_block = 30')
  const { exitCode, lines } = await verifyCommand(databaseUrl, '--from', '20', '--to', '40')
  expect(exitCode).toBe(1)
  expect(lines.join('\n')).toMatch(/20 to 29 +not covered/)
  await expect(scene.verify(databaseUrl, { to: scene.head().number })).rejects.toThrow('the last that is final')
})

test('a database that is not migrated is refused, with the command to run', async () => {
  const { exitCode } = await verifyCommand(await emptyDatabase())
  expect(exitCode).toBe(1)
})

test('a Ctrl-C ends the command immediately, and not as if the rows were right', async () => {
  const databaseUrl = await spoilt()
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  closeAfter(() => silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const started = startProgram('verify', program(databaseUrl, `http://127.0.0.1:${port}`), ['--network', 'bsc'])
  const ended = once(started, 'exit')
  // The program sends a request to the node, which never responds.
  const [socket] = (await once(silent, 'connection')) as [Socket]
  closeAfter(() => socket.destroy())
  started.kill('SIGINT')
  // The program exits with code 1, not with 0 or by the signal.
  expect(await ended).toEqual([1, null])
})
