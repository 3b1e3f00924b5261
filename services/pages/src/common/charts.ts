/** The library that draws charts, with the parts that the pages use: a script of its own, which comes with the first chart. */
import { LineChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([SVGRenderer, GridComponent, TooltipComponent, LineChart]);

export { init };
