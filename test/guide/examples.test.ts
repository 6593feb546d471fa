import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { COMMANDS } from '@dexfeed/service/command-help'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandLines, guideExamples } from './examples.ts'
import { openGuideWorld } from './guide-world.ts'

const root = projectRoot()

describe('the examples of README and guide', () => {
  let url: string

  beforeAll(async () => {
    url = (await openGuideWorld()).api.url
  })

  it('are found', () => {
    expect(commandLines('curl').length).toBeGreaterThan(5)
    expect(commandLines('npm').length).toBeGreaterThan(20)
    expect(commandLines('docker').length).toBeGreaterThan(2)
  })

  it.each(commandLines('curl').filter(([, line]) => !line.includes('…')))('%s: %s', async (_page, line) => {
    const address = /'?(http:\/\/127\.0\.0\.1:3000[^' ]*)'?/.exec(line)?.[1] ?? ''
    const headers = Object.fromEntries(
      [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
    )
    const response = await fetch(address.replace('http://127.0.0.1:3000', url), { headers })
    expect([address, response.status]).toEqual([address, 200])
    await response.body?.cancel()
  })

  it.each(commandLines('npm'))('%s: %s is a command with these options', (_page, line) => {
    const [, name = '', rest = ''] =
      /npm (?:run )?(?:-s |--silent )?(\S+)(?: --)?(.*)/.exec(line.replace('run -s', 'run')) ?? []
    if (name === 'install') return
    const bench = /^ ([\w-]+(?: \| [\w-]+)*)/.exec(rest)?.[1]
    const names = name === 'bench' ? (bench ?? '').split(' | ').map((text) => `bench ${text}`) : [name]
    for (const command of names) {
      const known = COMMANDS[command]
      expect(known, command).toBeDefined()
      for (const [option] of rest.matchAll(/--[a-z][\w-]*/g))
        expect(
          known?.options?.map(([text = '']) => text.split(' ')[0]),
          line,
        ).toContain(option)
    }
  })

  it.each(commandLines('docker'))('%s: %s names services and profiles that exist', (_page, line) => {
    const files = [...line.matchAll(/-f (\S+)/g)].map(([, file = '']) => file)
    for (const file of files) expect(existsSync(join(root, file)), file).toBe(true)
    const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')) as {
      services: Record<string, { profiles?: string[] }>
    }
    const profiles = Object.values(services).flatMap(({ profiles = [] }) => profiles)
    for (const [, profile] of line.matchAll(/--profile (\S+)/g)) expect(profiles).toContain(profile)
    for (const [, service] of line.matchAll(/--scale (\w+)=/g)) expect(Object.keys(services)).toContain(service)
  })

  it.each(commandLines('cp'))('%s: %s copies a file that exists', (_page, line) => {
    expect(existsSync(join(root, line.split(' ')[1] ?? ''))).toBe(true)
  })

  it.each(guideExamples().filter(({ language }) => language === 'json' || language === 'yaml'))(
    '$page: $language that can be read',
    ({ lines }) => expect(parse(lines.join('\n'))).toBeTypeOf('object'),
  )
})
