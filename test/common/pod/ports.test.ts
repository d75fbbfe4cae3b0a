import { PORTS } from '../../value-cases/ports.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on ports', () => testsOf(PORTS))
