import type { LakeKind, LakeKinds, LakeRow } from '@dexfeed/store'
import type { DuckDBValue } from '@duckdb/node-api'
import * as z from 'zod'
import type { TableName } from '../tables.ts'

// The statements behind each kind of request. Text comes into them only as checked hex digits and whole numbers.

interface LakeSource {
  /** What SELECT reads a table from. */
  from: (table: TableName) => string
  rows: (sql: string) => AsyncIterable<readonly DuckDBValue[]>
  span: { from: number; to: number }
}

interface Kind<Of, Row> {
  of: z.ZodType<Of>
  read(source: LakeSource, of: Of): AsyncIterable<Row>
}

const address = z.custom<`0x${string}`>((text) => typeof text === 'string' && /^0x[0-9a-f]{40}$/.test(text))

export const KINDS: { [Name in LakeKind]: Kind<LakeKinds[Name]['of'], LakeRow<Name>> } = {
  flows: {
    of: z.strictObject({ token: address }),
    async *read({ from, rows, span }, { token }) {
      const sql = `SELECT pool_key::VARCHAR, ${secondsOf('hour')}, net_usd::VARCHAR FROM ${from('flows')}
        WHERE token = ${bytes(token)} AND ${within(span, 'hour')}`
      for await (const [pool, hour, net] of rows(sql)) {
        yield { pool: String(pool), hour: Number(hour), net: baseUnits(String(net)) }
      }
    },
  },
}

function bytes(hex: `0x${string}`): string {
  return `unhex('${hex.slice(2)}')`
}

function secondsOf(time: string): string {
  return `epoch_us(${time}) // 1000000`
}

function within({ from, to }: LakeSource['span'], time: string): string {
  return `${time} >= make_timestamptz(${from}::BIGINT * 1000000) AND ${time} < make_timestamptz(${to}::BIGINT * 1000000)`
}

/** A DECIMAL with eight digits after the point, times 10^8. */
function baseUnits(decimal: string): string {
  return String(BigInt(decimal.replace('.', '')))
}
