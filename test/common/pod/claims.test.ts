import { testsOf } from '../../value-cases/told.ts'
import { CLAIMS } from '../../value-cases/workloads.ts'

describe('the rules on claims', () => testsOf(CLAIMS))
