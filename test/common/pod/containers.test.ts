import { CONTAINERS } from '../../value-cases/containers.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on containers', () => testsOf(CONTAINERS))
