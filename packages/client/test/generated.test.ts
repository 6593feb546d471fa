import { openApiDocument } from '@dexfeed/contract'
import { expect, it } from 'vitest'
import { OPERATIONS, STREAMS } from '../src/generated/operations.ts'
import { type Document, generateOperations } from './generate-operations.ts'

const document = JSON.parse(JSON.stringify(openApiDocument('0'))) as Document

it('the generated types are those of the document', async () => {
  await expect(generateOperations(document)).toMatchFileSnapshot('../src/generated/operations.ts')
})

it('has each operation of the document that returns JSON, or a stream', () => {
  const documented = Object.values(document.paths ?? {}).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect([...Object.keys(OPERATIONS), ...Object.keys(STREAMS)].sort()).toEqual(
    documented.filter((id) => id !== 'getDocs').sort(),
  )
})
