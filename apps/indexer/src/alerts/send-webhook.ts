import { createHmac } from 'node:crypto'
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import type { Webhook } from './alert-rules.ts'
import { isPublicAddress } from './public-address.ts'

const RESPONSE_MS = 10 * SECOND
const KEY_PREFIX = /^whsec_/

export interface WebhookMessage {
  /** The same on each try. */
  id: string
  body: string
}

interface SendOptions {
  signal?: AbortSignal
  /** In seconds since 1970. */
  now?: number
  responseMs?: number
  resolve?: Resolve
}

type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Posts a message, signed as in the Standard Webhooks specification (standardwebhooks.com): HMAC-SHA256 over id, time
 * and body. Follows no redirect, and does not read the body of the response.
 *
 * @throws Error unless the response has a 2xx status within 10 seconds
 */
export async function sendWebhook(
  { url, secret, private: isPrivateAllowed }: Pick<Webhook, 'url' | 'secret' | 'private'>,
  { id, body }: WebhookMessage,
  { signal, now = Math.floor(Date.now() / SECOND), responseMs = RESPONSE_MS, resolve = lookup }: SendOptions = {},
): Promise<void> {
  const { protocol, hostname } = new URL(url)
  const address = hostname.replace(/^\[|\]$/g, '')
  // Node looks up names only.
  if (!isPrivateAllowed && isIP(address) !== 0) refusePrivate(address)
  const late = AbortSignal.timeout(responseMs)
  const request = (protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'dexfeed',
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${signatureOf(secret, `${id}.${now}.${body}`)}`,
    },
    agent: false,
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    ...(!isPrivateAllowed && { lookup: publicOnly(resolve) }),
  })
  request.end(body)
  const status = await statusOf(request)
  if (status < 200 || status > 299) throw new Error(`the receiver responded with status ${status}`)
}

function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(KEY_PREFIX, ''), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}

function statusOf(request: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    request.once('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    request.on('error', reject)
  })
}

/** The connection uses the addresses that were checked, so a name that is resolved again makes no difference. */
function publicOnly(resolve: Resolve): LookupFunction {
  return (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return done(error ?? new Error(`${host} has no address`), '')
      try {
        for (const { address } of addresses) refusePrivate(address)
      } catch (refused) {
        return done(refused as Error, '')
      }
      if (options.all === true) done(null, addresses)
      else done(null, first.address, first.family)
    })
}

function refusePrivate(address: string): void {
  if (isPublicAddress(address)) return
  throw new Error(`${address} is not a public address; "private": true in the webhook allows it`)
}
