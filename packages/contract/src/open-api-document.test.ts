import { describe, expect, it } from 'vitest'
import { openApiDocument } from './open-api-document.ts'
import { NETWORK_VALUES } from './parameters.ts'
import { V1_ROUTES } from './v1/routes.ts'

describe('OpenAPI document', () => {
  const document = openApiDocument('1.2.3')

  it('describes every route, each with its failures', () => {
    expect(Object.keys(document.paths ?? {})).toEqual([
      '/api/quote',
      '/api/swaps_24h',
      '/api/trade_volume_usd_7d',
      ...new Set(Object.values(V1_ROUTES).map(({ path }) => path)),
      '/v1/stream',
      '/v1/batch',
      ...['/udf/config', '/udf/symbols', '/udf/search', '/udf/history', '/udf/time'],
      ...['latest-block', 'asset', 'pair', 'events'].map((name) => `/adapters/dexscreener/{network}/${name}`),
      '/livez',
      '/readyz',
      '/status',
      '/openapi.json',
      '/docs/',
    ])
    expect(Object.keys(document.paths?.['/api/quote']?.get?.responses ?? {})).toEqual([
      ...['200', '400', '401', '404', '405', '414', '429', '500', '503'],
    ])
  })

  it('allows only the documented fields', () => {
    for (const name of ['TokenMetadata', 'Quote', 'SwapTransaction', 'SwapTokenLeg', 'DayVolume', 'Failure']) {
      expect(document.components?.schemas?.[name]).toMatchObject({ additionalProperties: false })
    }
  })

  it('states the default and the values of the network', () => {
    const parameters = document.paths?.['/api/quote']?.get?.parameters ?? []
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'network',
        required: false,
        schema: expect.objectContaining({
          default: 'bsc',
          enum: ['bsc', 'eth', 'polygon', ...NETWORK_VALUES.slice(3)],
        }),
      }),
    )
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'sellToken', required: true }))
  })
})
