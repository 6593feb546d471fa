import type { Client } from 'pg'
import { expect, it } from 'vitest'
import { ensureApiUser } from './roles.ts'

it('sends no password to the server, which may log it', async () => {
  const texts: string[] = []
  const query = async (text: string) => {
    texts.push(text)
    return { rows: [] }
  }
  const log = { info: () => {}, warn: () => {} }
  await ensureApiUser({ user: 'owner', query } as unknown as Client, 'postgres://reader:open-sesame@db/x', log)
  expect(texts.join()).toMatch(/CREATE ROLE "reader" LOGIN PASSWORD 'SCRAM-SHA-256\$4096:/)
  expect(texts.join()).not.toContain('open-sesame')
})
