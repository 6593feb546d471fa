import { closeFile } from '@dexfeed/test-setup'
import { afterAll } from 'vitest'

afterAll(closeFile)
