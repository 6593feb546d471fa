import type { BlockHeader, ReferenceBook } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { emptyBook } from '../../test/scene/made-values.ts'
import { HeadReferences } from './head-references.ts'

function header(number: number, branch = 'a'): BlockHeader {
  const hash = `0x${branch}${number}` as const
  return { number, hash, parentHash: hash, timestamp: number }
}

/** Reads references after block 10, with block 8 final, and records the blocks at which they are read. */
async function scene() {
  const read: string[] = []
  let version = 0
  const grow = () => {
    version += 1
  }
  const references = new HeadReferences(
    async ({ hash, number }, final) => {
      read.push(hash)
      const book = emptyBook()
      book.rememberSince(Math.min(number, final))
      return book
    },
    () => version,
  )
  const book = await references.after(header(10), 8)
  const attempt = (head: BlockHeader, final = 8) => {
    const next = book.copy()
    references.noteAttempt(head, next, final)
    return next
  }
  return { references, read, book, attempt, grow }
}

test('they are read once, then move with each commit', async () => {
  const { references, read, attempt } = await scene()
  const next = attempt(header(11))
  expect(await references.after(header(11), 8)).toBe(next)
  expect(read).toEqual(['0xa10'])
})

test('failed steps leave them unchanged, whether or not a commit went through', async () => {
  const { references, read, book, attempt } = await scene()
  for (let i = 0; i < 3; i++) {
    attempt(header(11))
    expect(await references.after(header(10), 8)).toBe(book)
  }
  const committed = attempt(header(11))
  expect(await references.after(header(11), 8)).toBe(committed)
  expect(read).toEqual(['0xa10'])
})

//  8 - 9 - 10 - 11
//       \
//        10' - 11'
test('they roll back with the head, also when that takes several attempts', async () => {
  const { references, read, attempt } = await scene()
  attempt(header(11))
  for (let i = 0; i < 3; i++) {
    const rolledBack = await references.afterRollback(header(11), header(9), 8)
    references.noteAttempt(header(11, 'b'), rolledBack, 8)
  }
  await references.after(header(11, 'b'), 8)
  expect(read).toEqual(['0xa10'])
})

test('they are read again if they do not reach down far enough, or are invalid', async () => {
  const { references, read, attempt } = await scene()
  attempt(header(11), 9)
  await references.afterRollback(header(11), header(8), 8)
  expect(read).toEqual(['0xa10', '0xa8'])
  references.forget()
  await references.after(header(11), 9)
  expect(read).toEqual(['0xa10', '0xa8', '0xa11'])
})

test('the state before a skipped block is as it was then, and the state of the head stays', async () => {
  const { references, book } = await scene()
  const next = book.copy()
  for (const number of [9, 10, 11]) {
    next.addPool({ address: `0xa${number}`, token0: '0x01', token1: '0x02', tickSpacing: 1 }, number)
  }
  references.noteAttempt(header(11), next, 8)
  const made = (of: ReferenceBook | null) => of?.pools().map(({ address }) => address)
  expect(made(await references.before(10, header(11), 8))).toEqual(['0xa9'])
  expect(made(await references.after(header(11), 8))).toEqual(['0xa9', '0xa10', '0xa11'])
  expect(await references.before(8, header(11), 8)).toBeNull()
})

test('they are read again when there are more reference pools, whatever was committed meanwhile', async () => {
  const { references, read, attempt, grow } = await scene()
  attempt(header(11))
  grow()
  attempt(header(12))
  await references.after(header(12), 8)
  await references.after(header(12), 8)
  expect(read).toEqual(['0xa10', '0xa12'])
})
