import { HANDLERS } from '../../value-cases/handlers.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on probes and hooks', () => testsOf(HANDLERS))
