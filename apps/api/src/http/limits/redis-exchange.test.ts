import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { projectRoot } from '@dexfeed/service'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { askRedis, hasRedis, startRedis } from '@dexfeed/test-setup/redis-server'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { redisExchange } from './redis-exchange.ts'

/** The line of the containers' Redis that makes the user for limits, as they make it. */
function limitsUser(): string[] {
  const folder = temporaryFolder()
  for (const name of ['database', 'api', 'queue', 'nodes']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, '.env'), '')
  const program = join(projectRoot(), 'scripts/docker/make-secrets.mjs')
  execFileSync(process.execPath, [program, folder, join(folder, '.env')])
  const lines = readFileSync(join(folder, 'queue/users.acl'), 'utf8').split('\n')
  return (
    lines
      .find((line) => line.startsWith('user limits '))
      ?.split(' ')
      .slice(1) ?? []
  )
}

describe.runIf(hasRedis())('processes that meet in a Redis', () => {
  test('hear what the others said last', async () => {
    const { url } = await startRedis()
    const [one, other] = [redisExchange(url), redisExchange(url)]
    for (const exchange of [one, other]) closeAfter(() => exchange.close())
    expect(await one.say('one', 'first')).toEqual([])
    expect(await other.say('other', 'hello')).toEqual(['first'])
    await one.say('one', 'second')
    expect(await other.say('other', 'hello')).toEqual(['second'])
  })

  test('the user that the containers have for it may do nothing else', async () => {
    const { url } = await startRedis()
    const user = limitsUser()
    const password = user.find((word) => word.startsWith('>'))?.slice(1)
    await askRedis(url, 'ACL', 'SETUSER', ...user)
    const own = url.replace('redis://', `redis://limits:${password}@`)
    const exchange = redisExchange(own)
    closeAfter(() => exchange.close())
    expect(await exchange.say('one', 'text')).toEqual([])
    await askRedis(url, 'SET', 'bull:jobs', 'x')
    for (const command of [
      ['GET', 'bull:jobs'],
      ['SET', 'bull:jobs', 'y'],
      ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'bull:jobs'],
      ['KEYS', '*'],
      ['FLUSHALL'],
      ['CONFIG', 'GET', '*'],
      ['ACL', 'LIST'],
    ]) {
      await expect(askRedis(own, ...(command as [string])), command.join(' ')).rejects.toThrow(/NOPERM|permission/i)
    }
    expect(await askRedis(url, 'GET', 'bull:jobs')).toBe('x')
  })
})

// The threads that look names up are few: of two that wait for nothing, no database is found any more.
test('a name that nobody answers for is looked up once at a time', async () => {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never)
  const exchange = redisExchange('redis://nobody.invalid:6379')
  onTestFinished(() => {
    exchange.close()
    lookup.mockRestore()
  })
  await expect(exchange.say('a', '{}')).rejects.toThrow('Redis is not there')
  await delay(1_500)
  expect(lookup).toHaveBeenCalledTimes(1)
})
