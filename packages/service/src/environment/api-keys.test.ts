import { expect, test } from 'vitest'
import { checkApiEnvironment } from './check-environment.ts'

const check = (environment: Record<string, string>) => checkApiEnvironment(environment, () => '')

test('API_KEYS is read, and a wrong item is named by its place only', () => {
  const SECRET = 'a-secret-of-the-dashboard'
  expect(check({ API_KEYS: `dashboard:${SECRET}:1000, own:another-secret-of-ours:0` }).settings?.apiKeys).toEqual([
    { name: 'dashboard', secret: SECRET, perSecond: 1000 },
    { name: 'own', secret: 'another-secret-of-ours', perSecond: 0 },
  ])
  for (const wrong of [`a:${SECRET}`, `a:${SECRET}:9999999`, 'a:short:1', `:${SECRET}:1`, `a:${SECRET} x:1`]) {
    const { problems = [] } = check({ API_KEYS: `b:another-secret-of-ours:0,${wrong}` })
    expect(problems).toEqual([expect.stringMatching(/^API_KEYS: must be a list of name:secret:rate.*; item 2 is not$/)])
  }
  expect(check({ API_KEYS: `a:${SECRET}:1,a:another-secret-of-ours:1` }).problems).toEqual([
    'API_KEYS: has two items with the same name',
  ])
  expect(check({ API_KEYS: `a:${SECRET}:1,b:${SECRET}:1` }).problems).toEqual([
    'API_KEYS: has two items with the same secret',
  ])
})
