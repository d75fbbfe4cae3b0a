import { testsOf } from '../../value-cases/told.ts'
import { WORKLOADS } from '../../value-cases/workloads.ts'

describe('the rules on workloads', () => testsOf(WORKLOADS))
