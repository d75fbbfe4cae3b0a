import { ENV } from '../../value-cases/env.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on environment variables', () => testsOf(ENV))
