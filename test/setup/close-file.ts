import { closeFile } from '@dexfeed/test-setup'
import { afterAll } from 'vitest'

// Vitest runs this for each test file.
afterAll(closeFile)
