import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@dexfeed/test-setup/listen'
import { describe, expect, it } from 'vitest'
import { sendWebhook } from './send-webhook.ts'

const KEY = '0123456789abcdef01234567'
const SECRET = Buffer.from(KEY).toString('base64')
const MESSAGE = { id: 'eth-7-0xab', body: '{"status":"fired"}' }
const NOW = 1_795_262_400

/** Returns the URL of a receiver on this machine. */
async function receiver(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(answer)}/hook`
}

const send = (url: string, options: Parameters<typeof sendWebhook>[2] = {}, secret = SECRET) =>
  sendWebhook({ url, secret, private: true }, MESSAGE, { now: NOW, ...options })

describe('sendWebhook', () => {
  it.each([SECRET, `whsec_${SECRET}`])('signs id, time and body with %s', async (secret) => {
    const received: { request: IncomingMessage; body: string }[] = []
    const url = await receiver(async (request, response) => {
      received.push({ request, body: await text(request) })
      response.writeHead(204).end()
    })
    await send(url, {}, secret)
    const [{ request, body } = { request: null, body: '' }] = received
    const signature = createHmac('sha256', KEY).update(`${MESSAGE.id}.${NOW}.${MESSAGE.body}`).digest('base64')
    expect(body).toBe(MESSAGE.body)
    expect(request).toMatchObject({
      method: 'POST',
      url: '/hook',
      headers: {
        'content-type': 'application/json',
        'webhook-id': MESSAGE.id,
        'webhook-timestamp': String(NOW),
        'webhook-signature': `v1,${signature}`,
      },
    })
  })

  it.each([300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503])(
    'fails at status %d, without a second request',
    async (status) => {
      let requests = 0
      const url = await receiver((request, response) => {
        requests++
        // Node sends no final status below 200.
        response.writeHead(status === 199 ? 300 : status, { location: `http://${request.headers.host}/other` }).end()
      })
      await expect(send(url)).rejects.toThrow(`status ${status}`)
      expect(requests).toBe(1)
    },
  )

  it('does not read the body of a response, however long', async () => {
    let sent = 0
    const closed: Promise<unknown>[] = []
    const url = await receiver((_request, response) => {
      closed.push(once(response, 'close'))
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.writeHead(200)
      response.on('drain', more)
      more()
    })
    await send(url)
    await Promise.all(closed)
    expect(sent).toBeLessThan(64 * 1_048_576)
  })

  it('fails if the receiver is silent, closes, sends no HTTP, or is gone', async () => {
    const silent = await receiver(() => undefined)
    await expect(send(silent, { responseMs: 50 })).rejects.toThrow('abort')
    const closing = await receiver(({ socket }) => void socket.destroy())
    await expect(send(closing)).rejects.toThrow('socket hang up')
    const odd = await receiver(({ socket }) => void socket.end('no HTTP\r\n\r\n'))
    await expect(send(odd)).rejects.toThrow('Parse Error')
    const endless = await receiver(({ socket }) => {
      socket.on('error', () => undefined)
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)
    })
    await expect(send(endless)).rejects.toThrow('Header overflow')
    await expect(send('http://127.0.0.1:1')).rejects.toThrow('ECONNREFUSED')
  })

  it('ends when the program does', async () => {
    const stop = new AbortController()
    const url = await receiver(() => stop.abort(new Error('the program ends')))
    await expect(send(url, { signal: stop.signal })).rejects.toThrow()
  })

  it.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433', '0x7f000001', '127.1', 'localhost'])(
    'connects to %s only if private addresses are allowed',
    async (host) => {
      let requests = 0
      const { port } = new URL(
        await receiver((_request, response) => {
          requests++
          response.end()
        }),
      )
      const webhook = { url: `http://${host}:${port}/`, secret: SECRET, private: false }
      await expect(sendWebhook(webhook, MESSAGE)).rejects.toThrow('is not a public address')
      expect(requests).toBe(0)
    },
  )

  it('connects only to addresses that it has checked, in one look-up', async () => {
    const { port } = new URL(await receiver((_request, response) => void response.end()))
    const answers = ['93.184.216.34', '127.0.0.1']
    let lookUps = 0
    const rebinding =
      (addresses: string[]) =>
      (_host: string, _options: object, done: (error: null, found: { address: string; family: number }[]) => void) => {
        lookUps++
        done(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )
      }
    const webhook = { url: `http://rebinds.example:${port}/`, secret: SECRET, private: false }
    for (const addresses of [['127.0.0.1'], answers]) {
      await expect(sendWebhook(webhook, MESSAGE, { resolve: rebinding(addresses) })).rejects.toThrow('127.0.0.1 is not')
    }
    expect(lookUps).toBe(2)
    const first = { resolve: rebinding(['192.0.2.1', '93.184.216.34']) }
    await expect(sendWebhook(webhook, MESSAGE, first)).rejects.toThrow('192.0.2.1 is not')
    const gone: Parameters<typeof sendWebhook>[2] = {
      resolve: (_host, _options, done) => done(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []),
    }
    await expect(sendWebhook(webhook, MESSAGE, gone)).rejects.toThrow('no such host')
  })
})
