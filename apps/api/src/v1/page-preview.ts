import type { V1Body } from '@dexfeed/contract'
import { significantDecimal } from '@dexfeed/dex'
import type { Request, Response } from 'express'
import { pathOf } from '../http/guards.ts'
import type { SitePage } from '../service/site-page.ts'
import type { Answering } from './answer.ts'
import type { Dispatcher } from './dispatcher.ts'

/** A page is sent without its subject rather than late. */
const PATIENCE_MS = 1_000
const MAX_NAME = 32
const PRICE_DIGITS = 6

const SUBJECT = /^\/(token|pool)\/([a-z]+)\/([^/]+)\/?$/

type Figures = Pick<V1Body<'getPool'>, 'price_usd' | 'price_change_24h' | 'volume_24h_usd'>

/** Names the token or pool of a page, with its price, for titles and previews of links; null if it is unknown. */
export function pagePreviews(answer: Answering, dispatcher: Dispatcher) {
  return async (request: Request, response: Response): Promise<SitePage | null> => {
    const [, kind, network = '', encoded = ''] = SUBJECT.exec(pathOf(request.url)) ?? []
    if (kind === undefined) return null
    const by = dispatcher.requester(request, response)
    const signal = AbortSignal.any([by.signal, AbortSignal.timeout(PATIENCE_MS)])
    const read = async <Name extends 'getToken' | 'getPool'>(operation: Name): Promise<V1Body<Name>> => {
      const params = { network, address: decodeURIComponent(encoded) }
      const { text } = await answer({ operation, path: '', params, query: {}, csv: false }, { ...by, signal })
      return JSON.parse(text)
    }
    const late = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)))
    const preview = kind === 'token' ? read('getToken').then(ofToken) : read('getPool').then(ofPool)
    // The page repeats the read, and shows its error.
    return await Promise.race([preview.catch(() => null), late])
  }
}

function ofToken(token: V1Body<'getToken'>): SitePage {
  return pageOf(nameOf(token), token)
}

function ofPool(pool: V1Body<'getPool'>): SitePage {
  const priced = pool.tokens.filter(({ address }) => address === pool.base_token)
  const others = pool.tokens.filter(({ address }) => address !== pool.base_token)
  return pageOf([...priced, ...others].map(nameOf).join(' / '), pool)
}

function pageOf(
  name: string,
  { price_usd: price, price_change_24h: change, volume_24h_usd: volume }: Figures,
): SitePage {
  const priced = price === null ? name : `${name} $${significant(price)}`
  const changed = change === null ? '' : `, ${change} % in 24 hours`
  return { title: priced, description: `${priced}${changed}, volume of 24 hours $${volume.split('.')[0]}` }
}

function significant(price: string): string {
  const [whole = '', fraction = ''] = price.split('.')
  const rate = { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) }
  return significantDecimal(rate, PRICE_DIGITS)
}

/** Anyone can choose a symbol, so invisible characters and those that reverse text are removed. */
function nameOf({ symbol, address }: { symbol: string | null; address: string }): string {
  const visible = (symbol ?? '').replace(/[\p{C}\p{Z}\u115f\u1160\u3164\uffa0]/gu, '')
  return visible === '' ? address : [...visible].slice(0, MAX_NAME).join('')
}
