// The Worker's entry on the site's pages; verify.html carries the same engine in itself.

import { serve } from "./service.js";

serve(self);
