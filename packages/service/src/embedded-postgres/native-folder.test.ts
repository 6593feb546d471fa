import { chmodSync, cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../logger.ts'
import { makeLinks, nativeFolder, postgresPackage } from './native-folder.ts'

const log = createLogger({ name: 'test', level: 'silent' })
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dexfeed-native-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The package as npm unpacks it without its install script: the links are missing. */
function unpacked(): string {
  const native = join(folder, 'native')
  cpSync(postgresPackage().folder, native, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() })
  return native
}

test('the links that the install script would have made are made, once', () => {
  const native = unpacked()
  expect(existsSync(join(native, 'lib/libpq.so.5'))).toBe(false)
  expect(makeLinks(native)).toBe(true)
  expect(lstatSync(join(native, 'lib/libpq.so.5')).isSymbolicLink()).toBe(true)
  expect(statSync(join(native, 'lib/libpq.so.5')).size).toBeGreaterThan(0)
  expect(makeLinks(native)).toBe(true)
})

test('binaries that run where they are stay there', () => {
  const from = postgresPackage()
  expect(nativeFolder(from, null, () => folder, log)).toBe(from.folder)
})

test.runIf(process.getuid?.() === 0)(
  'binaries that their account cannot reach are copied, whatever their modes',
  () => {
    const nobody = { uid: 65534, gid: 65534 }
    // mkdtemp makes folders of mode 700.
    const from = { folder: unpacked(), version: '1' }
    chmodSync(join(from.folder, 'share'), 0o700)
    const copies = mkdtempSync(join(tmpdir(), 'dexfeed-copies-'))
    try {
      expect(() => nativeFolder(from, nobody, () => copies, log)).toThrow('do not run here')
      chmodSync(copies, 0o755)
      const copy = nativeFolder(from, nobody, () => copies, log)
      expect(copy).toBe(join(copies, 'postgres-1'))
      expect(statSync(join(copy, 'share')).mode & 0o777).toBe(0o755)
      expect(nativeFolder(from, nobody, () => copies, log)).toBe(copy)
      expect(readdirSync(copies)).toEqual(['postgres-1'])
    } finally {
      rmSync(copies, { recursive: true })
    }
  },
)
