import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { closeAfter } from '@dexfeed/test-setup'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPackage } from './install-package.ts'

let client: Awaited<ReturnType<typeof installPackage>>
beforeAll(async () => {
  client = await installPackage('packages/client')
}, 300_000)
afterAll(() => client.remove())

it('reads a price as its README shows', async () => {
  const paths: string[] = []
  const api = await serveHttp((_, { url = '' }, response) => {
    paths.push(url)
    response.setHeader('content-type', 'application/json').end('{ "result": { "price": "612.5" } }')
  })
  closeAfter(api.close)
  const [example = ''] = client.examples
  expect(example).toContain('http://127.0.0.1:3000')
  expect(await client.runCode(example.replace('http://127.0.0.1:3000', api.url))).toBe('612.5\n')
  expect(paths).toEqual(['/api/quote?sellToken=WBNB&buyToken=USDT'])
})

it('throws its own error without a server', async () => {
  const code = `import { createClient, DexfeedError } from '@dexfeed/client'
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', attempts: 1 })
    await client.call('getStatus', {}).catch((error) => console.log(error instanceof DexfeedError, error.status))`
  expect(await client.runCode(code)).toBe('true null\n')
})

it('compiles every example of its README; it has types of results, and no types of operations that do not exist', async () => {
  const good = `import { createClient, type Swap } from '@dexfeed/client'
    const client = createClient({ baseUrl: '' })
    export async function usd(): Promise<(string | null)[]> {
      const found: (string | null)[] = []
      for await (const swap of client.rows('searchSwaps', { network: 'bsc', limit: 5 })) found.push(worth(swap))
      const { result } = await client.call('getQuote', { sellToken: 'A', buyToken: 'B' })
      return [...found, result.price]
    }
    const worth = (swap: Swap): string | null => swap.trade_volume_usd\n`
  const bad = `import { createClient } from '@dexfeed/client'
    const client = createClient({ baseUrl: '' })
    await client.call('getQuote', { sellToken: 'A' })
    await client.call('nothing', {})
    client.rows('getQuote', { sellToken: 'A', buyToken: 'B' })
    client.rows('searchSwaps', { network: 'solana' })\n`
  expect(client.examples).toHaveLength(2)
  const errors = await client.findErrors({ examples: client.examples.join(''), good, bad })
  expect(errors).toEqual(['bad:3', 'bad:4', 'bad:5', 'bad:6'])
})
