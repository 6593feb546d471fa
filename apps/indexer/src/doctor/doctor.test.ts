import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Devnet } from '@dexfeed/devnet'
import { checkIndexerEnvironment } from '@dexfeed/service'
import { closeAfter, connectTo, emptyDatabase, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { seedNetwork } from '@dexfeed/test-setup/seed'
import { beforeAll, describe, expect, test } from 'vitest'
import { quiet as log } from '../../test/scene/made-values.ts'
import { testDevnet } from '../../test/scene/test-devnet.ts'
import { checkDisk } from './check-disk.ts'
import { checkNodes } from './check-nodes.ts'
import { checkDatabase, checkQueue, type Login } from './check-places.ts'
import { findingsText } from './finding.ts'

const UNREACHABLE = '127.0.0.1:1'

describe('a check of nodes', () => {
  let devnet: Devnet<'bsc'>
  beforeAll(async () => {
    devnet = await testDevnet({ networks: ['bsc'], historyBlocks: 4 })
  })

  const look = async (environment: Record<string, string>) => {
    const { settings } = checkIndexerEnvironment({ BACKFILL_DAYS: '0', ...environment }, () => '')
    if (settings === undefined) throw new Error('no network')
    return (await checkNodes(settings.networks, settings, log)).map(({ verdict, about, message, advice }) => [
      ...[verdict, about.replace(/:\d+/, ':PORT'), message.replace(/\d+/g, 'N')],
      ...(advice === undefined ? [] : [advice.split(' ').slice(0, 4).join(' ')]),
    ])
  }
  const urls = () => devnet.chains.bsc

  test('finds nothing to change if a node serves everything and announces heads', async () => {
    const { rpcUrl: url, wsUrl } = urls()
    expect(await look({ BSC_RPC_URL: `${url},${wsUrl}` })).toEqual([
      ['ok', 'bsc http://127.0.0.1:PORT', expect.stringMatching(/^serves block N, logs .* from block N on$/)],
      ['ok', 'bsc heads', 'are announced by WebSocket'],
      ['ok', 'clock', 'agrees with the endpoints'],
    ])
  })

  test('reports each endpoint that does not respond, or is on another chain, without its key', async () => {
    const { rpcUrl: url } = urls()
    const down = await look({ BSC_RPC_URL: `${url},http://${UNREACHABLE}/v3/SECRET,ws://${UNREACHABLE}/SECRET` })
    expect(down.filter(([verdict]) => verdict !== 'ok')).toEqual([
      ['fail', 'bsc http://127.0.0.1:PORT/***', 'does not serve RPC: the connection was refused', 'check the URL and'],
      ['warn', 'bsc heads', expect.stringMatching(/^no response from ws:/), 'check the URL and'],
    ])
    expect(JSON.stringify(down)).not.toContain('SECRET')
    const wrong = await look({ ETH_RPC_URL: url })
    expect(wrong[0]).toEqual(['fail', expect.any(String), expect.stringContaining('chain'), 'move it to BSC_RPC_URL'])
  })

  test('reports a node that serves no logs', async () => {
    const url = await withoutLogs(urls().rpcUrl)
    // On a busy machine, the head may have become old, which is another finding.
    expect(await look({ BSC_RPC_URL: url })).toContainEqual([
      'fail',
      'bsc http://127.0.0.1:PORT',
      expect.any(String),
      'use a node that',
    ])
  })

  test('reports a node whose chain has forked', async () => {
    const found = await look({ BSC_RPC_URL: await ofLaterFork(urls().rpcUrl) })
    const message = 'has headers with unknown fields (laterRoot)'
    expect(found).toContainEqual(['fail', 'bsc http://127.0.0.1:PORT', message, 'update dexfeed before block'])
  })
})

interface RpcCall {
  id: number
  method: string
}

function withoutLogs(url: string): Promise<string> {
  const error = { code: -32601, message: 'the method is not available' }
  return proxyOf(url, (call, respond) =>
    /Logs|Receipt/.test(call.method) ? { jsonrpc: '2.0', id: call.id, error } : respond(),
  )
}

/** Starts a node whose headers have an unknown field that their hashes cover. */
function ofLaterFork(url: string): Promise<string> {
  return proxyOf(url, async (call, respond) => {
    const reply = (await respond()) as { result?: { stateRoot?: string } }
    if (call.method !== 'eth_getBlockByNumber' || !reply.result?.stateRoot) return reply
    return { ...reply, result: { ...reply.result, stateRoot: `0x${'77'.repeat(32)}`, laterRoot: '0x1' } }
  })
}

async function proxyOf(
  url: string,
  reply: (call: RpcCall, respond: () => Promise<unknown>) => unknown,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const parsed = JSON.parse(body)
    const each = (call: RpcCall) =>
      reply(call, async () => {
        return (await fetch(url, { method: 'POST', body: JSON.stringify(call), headers: JSON_TYPE })).json()
      })
    const result = Array.isArray(parsed) ? await Promise.all(parsed.map(each)) : await each(parsed)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfter(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const JSON_TYPE = { 'content-type': 'application/json' }

const owner = (url: string | null): Login => ({ about: 'database', url, variable: 'DATABASE_URL', isApi: false })

describe('a check of places', () => {
  test('reports whether the database responds and is migrated', async () => {
    expect(await checkDatabase(owner(null))).toMatchObject({ verdict: 'ok' })
    expect(await checkDatabase(owner(await testDatabase()))).toMatchObject({ verdict: 'ok' })
    const empty = await checkDatabase(owner(await emptyDatabase()))
    expect(empty).toMatchObject({ verdict: 'warn', advice: 'npm run migrate' })
    const away = await checkDatabase(owner(`postgres://u:SECRET@${UNREACHABLE}/d`))
    expect(away).toMatchObject({ verdict: 'fail', advice: expect.stringContaining('DATABASE_URL') })
    expect(JSON.stringify(away)).not.toContain('SECRET')
  })

  test('reports the blocks whose rows older rules made', async () => {
    const databaseUrl = await testDatabase()
    const client = await connectTo(databaseUrl)
    const start = { number: 10, time: 1_700_000_000 }
    const head = { number: 100, time: 1_700_000_900 }
    const covered = [[0, 100, 1_700_000_000, 1_700_000_900]] as const
    await seedNetwork(client, { network: 'bsc', wrapped: `0x${'0'.repeat(40)}`, start, head, final: 90, covered })
    expect(await checkDatabase(owner(databaseUrl))).toMatchObject({ verdict: 'ok' })
    await client.query('UPDATE covered_range SET rules = 0')
    const old = await checkDatabase(owner(databaseUrl))
    expect(old).toMatchObject({ verdict: 'warn', message: expect.stringContaining('81 of bsc') })
  })

  test('reports a queue in Redis that does not respond, and one in Postgres', async () => {
    expect(await checkQueue(`redis://${UNREACHABLE}`)).toMatchObject({ verdict: 'fail' })
    expect(await checkQueue(null)).toMatchObject({ verdict: 'ok' })
  })

  test('reports whether lists can be kept', async () => {
    const folder = join(temporaryFolder(), 'lists')
    const used = { about: 'lists', day: 0, total: 0, stored: folder, advice: 'set LIST_CACHE_DIR' }
    expect(await checkDisk({ ...used, folder })).toMatchObject({ message: expect.stringContaining(`${folder} can be`) })
    for (const missing of ['/dev/null/lists', '/proc/none/lists']) {
      expect(await checkDisk({ ...used, folder: missing })).toMatchObject({ verdict: 'fail' })
    }
  })
})

test('each finding is one line, with what to change below', () => {
  const text = findingsText([
    { verdict: 'ok', about: 'queue', message: 'is kept in Postgres' },
    { verdict: 'fail', about: 'database', message: 'is away', advice: 'start it' },
  ])
  expect(text).toBe('ok    queue     is kept in Postgres\nfail  database  is away\n                -> start it\n')
})
