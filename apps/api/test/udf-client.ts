// A data feed as the documentation of TradingView's charting library describes its UDF adapter: what the library asks, and
// what it does with the answers. It knows nothing of this server.

interface Bar {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

interface Resolved {
  ticker: string
  pricescale: number
  minmov: number
  session: string
  timezone: string
  supported_resolutions: string[]
  has_intraday: boolean
  has_daily: boolean
  has_weekly_and_monthly: boolean
  currency_code: string
  name: string
}

type History =
  | { s: 'ok'; t: number[]; o: number[]; h: number[]; l: number[]; c: number[]; v: number[] }
  | { s: 'no_data'; nextTime?: number }
  | { s: 'error'; errmsg: string }

export class UdfClient {
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  async #get<Body>(path: string, query: Record<string, string | number> = {}): Promise<Body> {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const response = await fetch(`${this.#base}/${path}?${parameters}`)
    return (await response.json()) as Body
  }

  onReady() {
    return this.#get<{ supported_resolutions: string[]; supports_search: boolean; exchanges: { value: string }[] }>(
      'config',
    )
  }

  async getServerTime(): Promise<number> {
    const text = await (await fetch(`${this.#base}/time`)).text()
    return Number.parseInt(text, 10)
  }

  searchSymbols(query: string, exchange: string, type: string) {
    return this.#get<{ symbol: string; ticker: string; type: string; exchange: string }[]>('search', {
      query,
      exchange,
      type,
      limit: 30,
    })
  }

  /** The adapter takes an answer with `s` for an unknown symbol. */
  async resolveSymbol(ticker: string): Promise<Resolved> {
    const found = await this.#get<Resolved & { s?: string }>('symbols', { symbol: ticker })
    if (found.s !== undefined) throw new Error('unknown_symbol')
    return found
  }

  async getBars(ticker: string, resolution: string, period: { from: number; to: number; countBack?: number }) {
    const { from, to, countBack } = period
    const history = await this.#get<History>('history', {
      symbol: ticker,
      resolution,
      from,
      to,
      ...(countBack !== undefined && { countback: countBack }),
    })
    if (history.s === 'error') throw new Error(history.errmsg)
    if (history.s === 'no_data') return { bars: [], noData: true, nextTime: history.nextTime }
    const bars = history.t.map(
      (time, at): Bar => ({
        time,
        open: history.o[at] ?? NaN,
        high: history.h[at] ?? NaN,
        low: history.l[at] ?? NaN,
        close: history.c[at] ?? NaN,
        volume: history.v[at] ?? NaN,
      }),
    )
    return { bars, noData: false, nextTime: undefined }
  }

  /** Scrolls back from a time to the beginning, as a chart does. */
  async allBars(ticker: string, resolution: string, seconds: number, until: number, countBack: number): Promise<Bar[]> {
    const all: Bar[] = []
    for (let to = until; ; ) {
      const period = { from: to - countBack * seconds, to, countBack }
      const { bars, noData, nextTime } = await this.getBars(ticker, resolution, period)
      const [first] = bars
      if (noData && nextTime === undefined) return all
      all.unshift(...bars)
      to = first?.time ?? nextTime ?? 0
    }
  }
}
