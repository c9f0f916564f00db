import ca.pfv.spmf.algorithms.frequentpatterns.fpgrowth.AlgoFPClose;
import ca.pfv.spmf.algorithms.frequentpatterns.fpgrowth.AlgoFPGrowth;
import ca.pfv.spmf.algorithms.frequentpatterns.fpgrowth.AlgoFPMax;
import ca.pfv.spmf.tools.resultConverter.ResultConverter;
import java.nio.charset.StandardCharsets;

/** Mines a file of rows with SPMF, and gives the results the names of its items: run by make.py. */
public class Run {
  public static void main(String[] arguments) throws Exception {
    String rows = arguments[0], folder = arguments[1];
    double least = Double.parseDouble(arguments[2]);
    new AlgoFPGrowth().runAlgorithm(rows, folder + "/spmf-frequent.txt", least);
    new AlgoFPClose().runAlgorithm(rows, folder + "/spmf-closed.txt", least);
    new AlgoFPMax().runAlgorithm(rows, folder + "/spmf-maximal.txt", least);
    for (String kind : new String[] {"frequent", "closed"}) {
      new ResultConverter().convert(
          rows, folder + "/spmf-" + kind + ".txt", folder + "/spmf-" + kind + "-names.txt", StandardCharsets.UTF_8);
    }
  }
}
